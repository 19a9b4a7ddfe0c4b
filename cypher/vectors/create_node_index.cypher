// Make the vector index of nodes.
// params: options
// returns: none
// mode: write
// uses: none
CREATE VECTOR INDEX node_embedding IF NOT EXISTS FOR (n:Node) ON (n.embedding) OPTIONS $options
