// Those of the given nodes that a merge concerns, and the node that each is shown as.
// params: node_ids
// returns: node_id, root
// mode: read
// uses: origin_id
UNWIND $node_ids AS node_id
MATCH (o:Origin {node_id: node_id})
RETURN o.node_id AS node_id, o.root AS root ORDER BY node_id
