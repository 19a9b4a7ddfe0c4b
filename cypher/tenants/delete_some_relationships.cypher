// Remove some relationships, whichever come first.
// params: limit
// returns: count
// mode: write
// uses: none
MATCH ()-[r]->()
WITH r LIMIT $limit
DELETE r
RETURN count(r) AS count
