// Write mentions of nodes. Fewer are written than given where a segment or node is not there.
// params: rows
// returns: written
// mode: write
// uses: segment_id, node_id
UNWIND $rows AS row
MATCH (s:Segment {segment_id: row.parent})
MATCH (n:Node {node_id: row.target})
CREATE (s)-[:HAS_MENTION]->(m:Mention)-[:OF]->(n)
SET m = row.properties
RETURN count(*) AS written
