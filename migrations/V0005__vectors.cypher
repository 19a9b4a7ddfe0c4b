// What a tenant's vectors were made by, and what has one: an embedding goes with a hash of what it was made of.
CREATE CONSTRAINT vector_state IF NOT EXISTS FOR (s:VectorState) REQUIRE s.name IS UNIQUE;
CREATE INDEX node_embedding_of IF NOT EXISTS FOR (n:Node) ON (n.embedding_of);
CREATE INDEX segment_embedding_of IF NOT EXISTS FOR (s:Segment) ON (s.embedding_of);
