// The version of Graph Data Science.
// params: none
// returns: version
// mode: read
// uses: gds.version
RETURN gds.version() AS version
