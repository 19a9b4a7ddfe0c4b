// Drop the vector index of nodes.
// params: none
// returns: none
// mode: write
// uses: none
DROP INDEX node_embedding IF EXISTS
