// What a tenant's vectors were made by.
// params: none
// returns: model, dimension, similarity, storage, ready
// mode: read
// uses: vector_state
MATCH (s:VectorState {name: 'vectors'})
RETURN s.model AS model, s.dimension AS dimension, s.similarity AS similarity, s.storage AS storage, s.ready AS ready
