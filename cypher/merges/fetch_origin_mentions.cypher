// All mentions that speak of merged nodes: what they said, and what they count for now.
// params: node_ids
// returns: mention_id, node_id, edge_id, source, target, relation, provenance, confidence, origin_node, origin_edge, origin_source, origin_target
// mode: read
// uses: origin_id
UNWIND $node_ids AS node_id
MATCH (:Origin {node_id: node_id})<-[:ORIGIN]-(m:Mention)
WITH DISTINCT m
RETURN m.mention_id AS mention_id, m.node_id AS node_id, m.edge_id AS edge_id, m.source AS source, m.target AS target,
  m.relation AS relation, m.provenance AS provenance, m.confidence AS confidence, m.origin_node AS origin_node,
  m.origin_edge AS origin_edge, m.origin_source AS origin_source, m.origin_target AS origin_target
ORDER BY mention_id
