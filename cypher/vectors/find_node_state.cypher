// What a tenant's vectors were made by, how many nodes there are, and how many have one.
// params: none
// returns: model, dimension, similarity, storage, ready, items, embedded
// mode: read
// uses: vector_state, node_embedding_of
MATCH (s:VectorState {name: 'vectors'})
RETURN s.model AS model, s.dimension AS dimension, s.similarity AS similarity, s.storage AS storage, s.ready AS ready,
  COUNT { (:Node) } AS items, COUNT { MATCH (n:Node) WHERE n.embedding_of >= '' } AS embedded
