// Keep what is known of nodes by themselves, before they become part of a group.
// params: node_ids
// returns: none
// mode: write
// uses: node_id
UNWIND $node_ids AS node_id
MATCH (n:Node {node_id: node_id})
CREATE (o:Origin)
SET o = properties(n), o.root = node_id, o.embedding = null, o.embedding_of = null
