// Nodes by their vectors, nearest first. The index is asked for `candidates`, whose similarity is computed exactly.
// params: vector, candidates, limit
// returns: node_id, name, kind, description, aliases, path, line_start, line_end, signature, score
// mode: read
// uses: node_embedding
CALL db.index.vector.queryNodes('node_embedding', $candidates, $vector) YIELD node AS n
WITH n, vector.similarity.cosine(n.embedding, $vector) AS score ORDER BY score DESC, n.node_id LIMIT $limit
RETURN n.node_id AS node_id, n.name AS name, n.kind AS kind, n.description AS description, n.aliases AS aliases,
  n.path AS path, n.line_start AS line_start, n.line_end AS line_end, n.signature AS signature, score
ORDER BY score DESC, node_id
