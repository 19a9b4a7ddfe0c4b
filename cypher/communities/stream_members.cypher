// The nodes of a projected graph with the community that Leiden puts them into and their degree.
// params: graph
// returns: node_id, community, degree
// mode: read
// uses: gds.leiden.stream
CALL gds.leiden.stream($graph, {randomSeed: 42, concurrency: 1, minCommunitySize: 2}) YIELD nodeId, communityId
RETURN gds.util.asNode(nodeId).node_id AS node_id, communityId AS community,
  gds.util.nodeProperty($graph, nodeId, 'degree') AS degree
ORDER BY node_id
