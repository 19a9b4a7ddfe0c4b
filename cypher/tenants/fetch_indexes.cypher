// The names of the indexes that no constraint owns, but for those that each database has from the start.
// params: none
// returns: name
// mode: read
// uses: none
SHOW INDEXES YIELD name, type, owningConstraint
WHERE owningConstraint IS NULL AND type <> 'LOOKUP'
RETURN name
ORDER BY name
