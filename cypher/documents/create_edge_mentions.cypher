// Write mentions of edges: they carry the edge's id and ends, since a relationship can't be pointed at.
// params: rows
// returns: none
// mode: write
// uses: segment_id, mention_id
UNWIND $rows AS row
MATCH (s:Segment {segment_id: row.segment_id})
CREATE (s)-[:HAS_MENTION]->(m:Mention)
SET m = row.properties
