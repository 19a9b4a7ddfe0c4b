// Write mentions of edges. Fewer are written than given where a segment is not there.
// params: rows
// returns: written
// mode: write
// uses: segment_id
UNWIND $rows AS row
MATCH (s:Segment {segment_id: row.parent})
CREATE (s)-[:HAS_MENTION]->(m:Mention)
SET m = row.properties
RETURN count(*) AS written
