// What a tenant's vectors were made by, how many segments there are, and how many have one.
// params: none
// returns: model, dimension, similarity, storage, ready, items, embedded
// mode: read
// uses: vector_state, segment_embedding_of
MATCH (s:VectorState {name: 'vectors'})
RETURN s.model AS model, s.dimension AS dimension, s.similarity AS similarity, s.storage AS storage, s.ready AS ready,
  COUNT { (:Segment) } AS items, COUNT { MATCH (t:Segment) WHERE t.embedding_of >= '' } AS embedded
