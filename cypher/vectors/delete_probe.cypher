// Remove what was written to try the store.
// params: name
// returns: none
// mode: write
// uses: vector_state
MATCH (s:VectorState {name: $name})
DELETE s
