// Those of the given nodes that a merge concerns, with their own names.
// params: node_ids
// returns: node_id, root, name
// mode: read
// uses: origin_id
UNWIND $node_ids AS node_id
MATCH (o:Origin {node_id: node_id})
RETURN o.node_id AS node_id, o.root AS root, o.name AS name ORDER BY node_id
