// Every edge, by its source, then by id: only the edges of one source are sorted at a time.
// params: none
// returns: parent, target, labels, properties
// mode: read
// uses: node_id
MATCH (s:Node) WHERE s.node_id >= ''
MATCH (s)-[r]->(t:Node)
RETURN s.node_id AS parent, t.node_id AS target, [type(r)] AS labels, properties(r) AS properties
ORDER BY s.node_id, r.edge_id
