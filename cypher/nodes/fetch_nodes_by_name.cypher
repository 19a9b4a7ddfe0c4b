// The nodes that bear a name, case and spacing aside; the name of a node that is merged away leads to the one that it
// is shown as.
// params: name_key, limit
// returns: node_id, name, kind, description, aliases, path, line_start, line_end, signature
// mode: read
// uses: node_name_key, origin_name_key
CALL {
  MATCH (n:Node {name_key: $name_key})
  RETURN n
  UNION
  MATCH (o:Origin {name_key: $name_key})
  MATCH (n:Node {node_id: o.root})
  RETURN n
}
RETURN n.node_id AS node_id, n.name AS name, n.kind AS kind, n.description AS description, n.aliases AS aliases,
  n.path AS path, n.line_start AS line_start, n.line_end AS line_end, n.signature AS signature
ORDER BY node_id LIMIT $limit
