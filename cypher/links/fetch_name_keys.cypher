// The names by which nodes are looked up, in the form in which they are compared.
// params: node_ids
// returns: name_key
// mode: read
// uses: node_id
UNWIND $node_ids AS node_id
MATCH (n:Node {node_id: node_id})
RETURN DISTINCT n.name_key AS name_key ORDER BY name_key
