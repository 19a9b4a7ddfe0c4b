// Forget what a tenant's vectors were made by.
// params: none
// returns: none
// mode: write
// uses: vector_state
MATCH (s:VectorState {name: 'vectors'})
DELETE s
