// Project the graph without self-loops, which would be votes of nodes for themselves.
// params: graph
// returns: nodes, relationships
// mode: read
// uses: gds.graph.project
MATCH (s:Node)-[r]->(t:Node) WHERE s <> t
WITH gds.graph.project($graph, s, t) AS g
RETURN g.nodeCount AS nodes, g.relationshipCount AS relationships
