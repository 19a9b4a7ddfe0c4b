// Take the write locks of nodes that are there, in the order given, before anything else of them is touched.
// params: node_ids
// returns: none
// mode: write
// uses: node_id
UNWIND $node_ids AS node_id
MATCH (n:Node {node_id: node_id})
SET n.node_id = n.node_id
