// Remove the vectors of some origins; returns of how many.
// params: limit
// returns: count
// mode: write
// uses: none
MATCH (o:Origin) WHERE o.embedding_of IS NOT NULL OR o.embedding IS NOT NULL
WITH o LIMIT $limit
REMOVE o.embedding, o.embedding_of
RETURN count(*) AS count
