// Drop the vector index of segments.
// params: none
// returns: none
// mode: write
// uses: none
DROP INDEX segment_embedding IF EXISTS
