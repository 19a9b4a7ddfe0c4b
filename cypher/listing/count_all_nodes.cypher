// How many nodes there are.
// params: none
// returns: count
// mode: read
// uses: none
MATCH (n:Node)
RETURN count(n) AS count
