// Project the graph, undirected and without self-loops, in the order of ids: what is computed from it depends on what
// there is, not on when it came.
// params: graph
// returns: nodes, relationships
// mode: read
// uses: node_id, gds.graph.project
MATCH (s:Node) WHERE s.node_id >= ''
WITH s ORDER BY s.node_id
MATCH (s)-[r]->(t:Node) WHERE s <> t
WITH s, t ORDER BY s.node_id, t.node_id, r.edge_id
WITH gds.graph.project($graph, s, t, {}, {undirectedRelationshipTypes: ['*'], readConcurrency: 1}) AS g
RETURN g.nodeCount AS nodes, g.relationshipCount AS relationships
