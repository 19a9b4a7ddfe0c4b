// Every edge, as far as the graph's hash covers it.
// params: none
// returns: edge_id, source, target, relation, type, provenance, confidence
// mode: read
// uses: none
MATCH (s:Node)-[r]->(t:Node)
RETURN r.edge_id AS edge_id, s.node_id AS source, t.node_id AS target, r.relation AS relation, type(r) AS type,
  r.provenance AS provenance, r.confidence AS confidence
