// Which mentions speak of which merged nodes, by the node, then by the mention.
// params: none
// returns: parent, target, labels, properties
// mode: read
// uses: origin_id
MATCH (o:Origin) WHERE o.node_id >= ''
MATCH (m:Mention)-[r:ORIGIN]->(o)
RETURN m.mention_id AS parent, o.node_id AS target, [type(r)] AS labels, properties(r) AS properties
ORDER BY o.node_id, m.mention_id
