// The entities whose vectors are nearest to those of the given ones, in one row; `score` is (1 + cosine) / 2.
// params: node_ids, kinds, top_k
// returns: neighbors
// mode: read
// uses: node_id, node_embedding
UNWIND $node_ids AS node_id
MATCH (n:Node {node_id: node_id}) WHERE n.embedding IS NOT NULL
CALL db.index.vector.queryNodes('node_embedding', $top_k, n.embedding) YIELD node AS m, score
WITH node_id, m, score WHERE m.kind IN $kinds AND m.node_id <> node_id
WITH node_id, m.node_id AS other, score ORDER BY node_id, other
RETURN collect([node_id, other, score]) AS neighbors
