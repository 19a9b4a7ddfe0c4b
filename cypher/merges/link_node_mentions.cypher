// Tie the mentions of nodes that are about to be merged to what is kept of them.
// params: node_ids
// returns: none
// mode: write
// uses: node_id, origin_id
UNWIND $node_ids AS node_id
MATCH (o:Origin {node_id: node_id})
MATCH (m:Mention)-[:OF]->(:Node {node_id: node_id})
CREATE (m)-[:ORIGIN]->(o)
SET m.origin_node = node_id
