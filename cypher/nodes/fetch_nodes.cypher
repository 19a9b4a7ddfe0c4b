// Nodes by their ids.
// params: node_ids
// returns: node_id, name, kind, description, aliases, path, line_start, line_end, signature
// mode: read
// uses: node_id
UNWIND $node_ids AS wanted
MATCH (n:Node {node_id: wanted})
RETURN n.node_id AS node_id, n.name AS name, n.kind AS kind, n.description AS description, n.aliases AS aliases,
  n.path AS path, n.line_start AS line_start, n.line_end AS line_end, n.signature AS signature
ORDER BY node_id
