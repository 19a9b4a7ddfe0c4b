// An edge by its id, with both of its nodes.
// params: edge_id
// returns: edges, nodes
// mode: read
// uses: mention_edge, node_id
MATCH (m:Mention {edge_id: $edge_id})
USING INDEX SEEK m:Mention(edge_id)
WITH DISTINCT m.edge_id AS edge_id, m.source AS source, m.target AS target
MATCH (s:Node {node_id: source})-[r {edge_id: edge_id}]->(t:Node {node_id: target})
USING INDEX SEEK s:Node(node_id)
USING INDEX SEEK t:Node(node_id)
CALL (edge_id) {
  OPTIONAL MATCH (m:Mention {edge_id: edge_id})<-[:HAS_MENTION]-(s:Segment)<-[:HAS_SEGMENT]-(d:Document)
  USING INDEX SEEK m:Mention(edge_id)
  RETURN count(m) AS mentions, min([NOT m.verified, d.source_doc_id, coalesce(m.line_start, 0), s.ordinal,
    coalesce(m.char_start, 0), m.mention_id, d.path, m.line_start, m.evidence_span]) AS first
}
WITH collect({edge_id: edge_id, source: s.node_id, target: t.node_id, relation: r.relation,
    provenance: r.provenance, confidence: r.confidence, mentions: mentions, path: first[6], line: first[7],
    evidence_span: CASE WHEN NOT first[0] THEN first[8] END}) AS edges,
  collect(DISTINCT s) AS sources, collect(DISTINCT t) AS targets
RETURN edges, [n IN sources + [t IN targets WHERE NOT t IN sources] |
    n {.node_id, .name, .kind, .description, .aliases, .path, .line_start, .line_end, .signature}] AS nodes
