// Forget a projected graph, if it is there.
// params: graph
// returns: graph
// mode: read
// uses: gds.graph.drop
CALL gds.graph.drop($graph, false) YIELD graphName
RETURN graphName AS graph
