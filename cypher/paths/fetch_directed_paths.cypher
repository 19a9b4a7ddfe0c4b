// The shortest paths between two nodes, along the direction of the edges.
// params: source, target, relations, limit
// returns: nodes, edges
// mode: read
// uses: node_id
MATCH (s:Node {node_id: $source}), (t:Node {node_id: $target})
MATCH p = ALL SHORTEST (s) ((a:Node)-[r]->(b:Node) WHERE size($relations) = 0 OR r.relation IN $relations)+ (t)
RETURN [n IN nodes(p) | n.node_id] AS nodes,
  [e IN relationships(p) | {edge_id: e.edge_id, source: startNode(e).node_id, target: endNode(e).node_id}] AS edges
LIMIT $limit
