// How many jobs there are, of one status or of all (null).
// params: status
// returns: count
// mode: read
// uses: none
MATCH (j:Job) WHERE $status IS NULL OR j.status = $status
RETURN count(j) AS count
