// How many uses of names could not be resolved, by reason.
// params: none
// returns: name, count
// mode: read
// uses: none
MATCH (u:Unresolved)
RETURN u.reason AS name, sum(u.count) AS count ORDER BY count DESC, name
