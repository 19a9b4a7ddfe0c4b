// Nodes of an undirected projection by betweenness over all shortest paths, each pair of ends counted once.
// params: graph, kinds, limit
// returns: node_id, name, kind, description, aliases, path, line_start, line_end, signature, score
// mode: read
// uses: gds.betweenness.stream
CALL gds.betweenness.stream($graph, {concurrency: 1}) YIELD nodeId, score AS exact
WITH gds.util.asNode(nodeId) AS n, round(exact, 6) AS score
WHERE score > 0 AND (size($kinds) = 0 OR n.kind IN $kinds)
RETURN n.node_id AS node_id, n.name AS name, n.kind AS kind, n.description AS description, n.aliases AS aliases,
  n.path AS path, n.line_start AS line_start, n.line_end AS line_end, n.signature AS signature, score
ORDER BY score DESC, node_id LIMIT $limit
