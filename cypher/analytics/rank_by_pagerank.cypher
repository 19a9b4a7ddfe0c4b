// Nodes of a directed projection by PageRank. Rounded: equal scores must not differ by how their sum was formed.
// params: graph, kinds, limit
// returns: node_id, name, kind, description, aliases, path, line_start, line_end, signature, score
// mode: read
// uses: gds.pageRank.stream
CALL gds.pageRank.stream($graph, {maxIterations: 50, tolerance: 1e-9, concurrency: 1}) YIELD nodeId, score AS exact
WITH gds.util.asNode(nodeId) AS n, round(exact, 9) AS score
WHERE size($kinds) = 0 OR n.kind IN $kinds
RETURN n.node_id AS node_id, n.name AS name, n.kind AS kind, n.description AS description, n.aliases AS aliases,
  n.path AS path, n.line_start AS line_start, n.line_end AS line_end, n.signature AS signature, score
ORDER BY score DESC, node_id LIMIT $limit
