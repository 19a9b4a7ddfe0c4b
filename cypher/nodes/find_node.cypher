// A node by its id; a node that is merged away leads to the one that it is shown as.
// params: node_id
// returns: node_id, name, kind, description, aliases, path, line_start, line_end, signature
// mode: read
// uses: node_id, origin_id
CALL {
  MATCH (n:Node {node_id: $node_id})
  RETURN n
  UNION
  MATCH (o:Origin {node_id: $node_id})
  MATCH (n:Node {node_id: o.root})
  RETURN n
}
RETURN n.node_id AS node_id, n.name AS name, n.kind AS kind, n.description AS description, n.aliases AS aliases,
  n.path AS path, n.line_start AS line_start, n.line_end AS line_end, n.signature AS signature
