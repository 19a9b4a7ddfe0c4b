// Every node, by id, without its vector, which follows from the rest. Here and in its like, the test of the key lets the key's index give the order, without a sort.
// params: none
// returns: parent, target, labels, properties
// mode: read
// uses: node_id
MATCH (n:Node) WHERE n.node_id >= ''
RETURN null AS parent, null AS target, labels(n) AS labels,
  n {.*, embedding: null, embedding_of: null} AS properties
ORDER BY n.node_id
