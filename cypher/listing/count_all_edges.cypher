// How many edges there are: all that leaves a node.
// params: none
// returns: count
// mode: read
// uses: none
MATCH (:Node)-[r]->()
RETURN count(r) AS count
