// What is kept of merged nodes, by id.
// params: none
// returns: parent, target, labels, properties
// mode: read
// uses: origin_id
MATCH (o:Origin) WHERE o.node_id >= ''
RETURN null AS parent, null AS target, labels(o) AS labels, properties(o) AS properties
ORDER BY o.node_id
