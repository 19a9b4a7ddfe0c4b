// Tell whether the server takes Neo4j's own vectors as parameters: refused where it does not.
// params: vector
// returns: dimension
// mode: read
// uses: none
CYPHER 25
RETURN size(toFloatList($vector)) AS dimension
