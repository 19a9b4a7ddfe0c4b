// Write mentions of nodes. The nodes and segments are there.
// params: rows
// returns: none
// mode: write
// uses: segment_id, node_id, mention_id
UNWIND $rows AS row
MATCH (s:Segment {segment_id: row.segment_id})
MATCH (n:Node {node_id: row.node_id})
CREATE (s)-[:HAS_MENTION]->(m:Mention)-[:OF]->(n)
SET m = row.properties
