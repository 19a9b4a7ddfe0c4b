// Nodes by their ids, in one row.
// params: node_ids
// returns: nodes
// mode: read
// uses: node_id
UNWIND $node_ids AS wanted
MATCH (n:Node {node_id: wanted})
USING INDEX SEEK n:Node(node_id)
WITH n ORDER BY n.node_id
RETURN collect(n {.node_id, .name, .kind, .description, .aliases, .path, .line_start, .line_end, .signature}) AS nodes
