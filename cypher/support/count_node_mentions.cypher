// How many mentions nodes have.
// params: rows
// returns: counts
// mode: read
// uses: node_id
UNWIND $rows AS row
MATCH (n:Node {node_id: row.parent})
USING INDEX SEEK n:Node(node_id)
RETURN collect({position: row.position, count: COUNT { (n)<-[:OF]-() }}) AS counts
