// Record what a tenant's vectors are made by, unless that is recorded, and lock the record; returns what it says.
// params: model, dimension, similarity, storage
// returns: model, dimension, similarity, storage, ready
// mode: write
// uses: vector_state
MERGE (s:VectorState {name: 'vectors'})
ON CREATE SET s.model = $model, s.dimension = $dimension, s.similarity = $similarity, s.storage = $storage,
  s.ready = false
ON MATCH SET s.model = s.model
RETURN s.model AS model, s.dimension AS dimension, s.similarity AS similarity, s.storage AS storage, s.ready AS ready
