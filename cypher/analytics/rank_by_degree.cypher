// Nodes of a projected graph by the number of their edges, in either direction.
// params: graph, kinds, limit
// returns: node_id, name, kind, description, aliases, path, line_start, line_end, signature, score
// mode: read
// uses: gds.degree.stream
CALL gds.degree.stream($graph, {orientation: 'UNDIRECTED'}) YIELD nodeId, score
WITH gds.util.asNode(nodeId) AS n, score
WHERE score > 0 AND (size($kinds) = 0 OR n.kind IN $kinds)
RETURN n.node_id AS node_id, n.name AS name, n.kind AS kind, n.description AS description, n.aliases AS aliases,
  n.path AS path, n.line_start AS line_start, n.line_end AS line_end, n.signature AS signature, score
ORDER BY score DESC, node_id LIMIT $limit
