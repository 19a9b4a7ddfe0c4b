// Write one of Neo4j's own vectors, to tell whether the store keeps them: where it does not, the commit is refused.
// params: name, vector
// returns: none
// mode: write
// uses: vector_state
CYPHER 25
CREATE (s:VectorState {name: $name, embedding: $vector})
