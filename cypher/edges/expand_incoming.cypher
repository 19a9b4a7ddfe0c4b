// One step of a breadth-first walk along the edges that reach the given nodes: each new node once a relation.
// params: node_ids, relations, min_confidence, seen, limit
// returns: steps
// mode: read
// uses: node_id
UNWIND $node_ids AS node_id
MATCH (from:Node {node_id: node_id})<-[r]-(to:Node)
WHERE (size($relations) = 0 OR r.relation IN $relations) AND r.confidence >= $min_confidence
  AND NOT to.node_id IN $seen
WITH to, r, from ORDER BY from.node_id, r.edge_id
WITH to.node_id AS reached, r.relation AS relation, head(collect({edge: r, from: from.node_id})) AS first
WITH reached, relation, first, first.edge.edge_id AS edge_id ORDER BY reached, relation, edge_id LIMIT $limit
RETURN collect({reached: reached, source: reached, target: first.from, edge_id: edge_id}) AS steps
