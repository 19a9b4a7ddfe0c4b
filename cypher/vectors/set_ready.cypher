// Say that nothing is left of vectors from before and that the indexes are there.
// params: none
// returns: none
// mode: write
// uses: vector_state
MATCH (s:VectorState {name: 'vectors'})
SET s.ready = true
