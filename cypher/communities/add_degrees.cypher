// Give the nodes of a projected graph the number of their edges.
// params: graph
// returns: written
// mode: read
// uses: gds.degree.mutate
CALL gds.degree.mutate($graph, {mutateProperty: 'degree', concurrency: 1}) YIELD nodePropertiesWritten
RETURN nodePropertiesWritten AS written
