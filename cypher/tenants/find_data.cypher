// Whether the database holds anything: one row, or none.
// params: none
// returns: found
// mode: read
// uses: none
MATCH (n)
WITH n LIMIT 1
RETURN true AS found
