// How many edges there are of each relation.
// params: none
// returns: name, count
// mode: read
// uses: none
MATCH (:Node)-[r]->(:Node)
RETURN r.relation AS name, count(*) AS count ORDER BY count DESC, name
