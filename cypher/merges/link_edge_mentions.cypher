// Tie the mentions of edges at nodes that are about to be merged to what is kept of the nodes.
// params: node_ids
// returns: none
// mode: write
// uses: node_id, origin_id, mention_edge
UNWIND $node_ids AS node_id
MATCH (o:Origin {node_id: node_id})
MATCH (:Node {node_id: node_id})-[r]-(:Node)
WITH DISTINCT o, r.edge_id AS edge_id
MATCH (m:Mention {edge_id: edge_id})
CREATE (m)-[:ORIGIN]->(o)
SET m.origin_edge = coalesce(m.origin_edge, m.edge_id), m.origin_source = coalesce(m.origin_source, m.source),
  m.origin_target = coalesce(m.origin_target, m.target)
