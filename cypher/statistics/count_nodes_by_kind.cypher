// How many nodes there are of each kind.
// params: none
// returns: name, count
// mode: read
// uses: none
MATCH (n:Node)
RETURN n.kind AS name, count(*) AS count ORDER BY count DESC, name
