// The names of all constraints.
// params: none
// returns: name
// mode: read
// uses: none
SHOW CONSTRAINTS YIELD name
RETURN name
ORDER BY name
