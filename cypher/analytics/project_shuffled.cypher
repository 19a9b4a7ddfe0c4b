// Project the graph, undirected and without self-loops, in an order that has nothing to do with place or age: edge ids
// are hashes. Sampling takes what it lacks from the front, so the front must be any nodes.
// params: graph
// returns: nodes, relationships
// mode: read
// uses: gds.graph.project
MATCH (s:Node)-[r]->(t:Node) WHERE s <> t
WITH s, t ORDER BY r.edge_id
WITH gds.graph.project($graph, s, t, {}, {undirectedRelationshipTypes: ['*'], readConcurrency: 1}) AS g
RETURN g.nodeCount AS nodes, g.relationshipCount AS relationships
