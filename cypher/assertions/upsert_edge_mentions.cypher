// Write the facts that a caller states, each statement once. A mention that is there has its place already; MERGE would
// look for it among all of the segment's.
// params: rows
// returns: none
// mode: write
// uses: segment_id, mention_id
UNWIND $rows AS row
MATCH (s:Segment {segment_id: row.segment_id})
MERGE (m:Mention {mention_id: row.properties.mention_id})
FOREACH (_ IN CASE WHEN m.modality IS NULL THEN [1] ELSE [] END | CREATE (s)-[:HAS_MENTION]->(m))
SET m += row.properties
