// The vectors of nodes that have one.
// params: ids
// returns: id, vector
// mode: read
// uses: node_id
UNWIND $ids AS id
MATCH (n:Node {node_id: id}) WHERE n.embedding IS NOT NULL
RETURN id, n.embedding AS vector
ORDER BY id
