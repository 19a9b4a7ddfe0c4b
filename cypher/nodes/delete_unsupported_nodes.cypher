// Remove those of the given nodes that no mention and no edge supports any longer, with the links that follow from their
// names and support nothing. The lock is taken before the
// look, so that a writer who is about to add support comes first or finds the node gone. Returns how many went.
// params: node_ids
// returns: gone
// mode: write
// uses: node_id
UNWIND $node_ids AS node_id
MATCH (n:Node {node_id: node_id})
SET n.node_id = n.node_id
WITH n WHERE NOT EXISTS { (n)-[r]-() WHERE r.derived IS NULL }
DETACH DELETE n
RETURN count(*) AS gone
