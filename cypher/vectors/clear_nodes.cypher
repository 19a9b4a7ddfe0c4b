// Remove the vectors of some nodes; returns of how many.
// params: limit
// returns: count
// mode: write
// uses: none
MATCH (n:Node) WHERE n.embedding_of IS NOT NULL OR n.embedding IS NOT NULL
WITH n LIMIT $limit
REMOVE n.embedding, n.embedding_of
RETURN count(*) AS count
