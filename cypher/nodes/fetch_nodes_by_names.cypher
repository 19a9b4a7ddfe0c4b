// The nodes that bear any of the names, case and spacing aside, so many of each name.
// params: name_keys, limit
// returns: node_id, name, kind, description, aliases, path, line_start, line_end, signature
// mode: read
// uses: node_name_key
UNWIND $name_keys AS name_key
MATCH (n:Node {name_key: name_key})
WITH name_key, n ORDER BY name_key, n.node_id
WITH name_key, collect(n)[..$limit] AS nodes
UNWIND nodes AS n
RETURN n.node_id AS node_id, n.name AS name, n.kind AS kind, n.description AS description, n.aliases AS aliases,
  n.path AS path, n.line_start AS line_start, n.line_end AS line_end, n.signature AS signature
ORDER BY node_id
