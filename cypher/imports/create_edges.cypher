// Write edges. Fewer are written than given where an end is not there.
// params: rows
// returns: written
// mode: write
// uses: node_id
UNWIND $rows AS row
MATCH (s:Node {node_id: row.parent})
MATCH (t:Node {node_id: row.target})
CREATE (s)-[r:$(row.type)]->(t)
SET r = row.properties
RETURN count(*) AS written
