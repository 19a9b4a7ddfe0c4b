// The nodes at the other ends of all edges of the given nodes.
// params: node_ids
// returns: node_id
// mode: read
// uses: node_id
UNWIND $node_ids AS node_id
MATCH (:Node {node_id: node_id})--(other:Node)
RETURN DISTINCT other.node_id AS node_id ORDER BY node_id
