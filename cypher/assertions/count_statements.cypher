// Let a caller's document say how much it states by now.
// params: document_id, added_bytes
// returns: none
// mode: write
// uses: source_doc_id
MATCH (d:Document {source_doc_id: $document_id})
OPTIONAL MATCH (d)-[:HAS_SEGMENT]->(:Segment)-[:HAS_MENTION]->(m:Mention)
WITH d, count(m) AS mentions, count(DISTINCT coalesce(m.origin_node, m.node_id)) AS nodes,
  count(DISTINCT coalesce(m.origin_edge, m.edge_id)) AS edges
SET d.nodes = nodes, d.edges = edges, d.mentions = mentions,
  d.text_bytes = d.text_bytes + $added_bytes
