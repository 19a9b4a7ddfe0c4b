// Every node, as far as the graph's hash covers it.
// params: none
// returns: node_id, name, kind, description, aliases, path, line_start, line_end, signature, exposed, labels
// mode: read
// uses: none
MATCH (n:Node)
RETURN n.node_id AS node_id, n.name AS name, n.kind AS kind, n.description AS description, n.aliases AS aliases,
  n.path AS path, n.line_start AS line_start, n.line_end AS line_end, n.signature AS signature,
  n.exposed AS exposed, labels(n) AS labels
