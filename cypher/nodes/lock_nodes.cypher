// Take the write locks of nodes, in the order given, before anything else of them is touched. Returns those that are there.
// params: node_ids
// returns: node_id
// mode: write
// uses: node_id
UNWIND $node_ids AS node_id
MATCH (n:Node {node_id: node_id})
SET n.node_id = n.node_id
RETURN n.node_id AS node_id
