// Write what a caller states of nodes, each statement once. A mention that is there has its places already; MERGE would
// look for them among all of the segment's.
// params: rows
// returns: none
// mode: write
// uses: segment_id, mention_id, node_id
UNWIND $rows AS row
MATCH (s:Segment {segment_id: row.segment_id})
MATCH (n:Node {node_id: row.node_id})
MERGE (m:Mention {mention_id: row.properties.mention_id})
FOREACH (_ IN CASE WHEN m.modality IS NULL THEN [1] ELSE [] END |
  CREATE (s)-[:HAS_MENTION]->(m)
  CREATE (m)-[:OF]->(n))
SET m += row.properties
