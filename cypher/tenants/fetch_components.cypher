// The parts of the server with their versions.
// params: none
// returns: name, versions, edition
// mode: write
// uses: none
CALL dbms.components() YIELD name, versions, edition
RETURN name, versions, edition
ORDER BY name
