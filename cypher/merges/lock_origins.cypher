// Take the write locks of groups of merged nodes, each by its root, in the order given.
// params: node_ids
// returns: node_id
// mode: write
// uses: origin_id
UNWIND $node_ids AS node_id
MATCH (o:Origin {node_id: node_id})
SET o.node_id = o.node_id
RETURN o.node_id AS node_id
