// Remove the vectors of some segments; returns of how many.
// params: limit
// returns: count
// mode: write
// uses: none
MATCH (s:Segment) WHERE s.embedding_of IS NOT NULL OR s.embedding IS NOT NULL
WITH s LIMIT $limit
REMOVE s.embedding, s.embedding_of
RETURN count(*) AS count
