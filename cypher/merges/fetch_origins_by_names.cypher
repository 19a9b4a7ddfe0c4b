// The merged nodes that bear any of the names, case and spacing aside.
// params: name_keys
// returns: node_id, root, name
// mode: read
// uses: origin_name_key
UNWIND $name_keys AS name_key
MATCH (o:Origin {name_key: name_key})
RETURN o.node_id AS node_id, o.root AS root, o.name AS name ORDER BY node_id
