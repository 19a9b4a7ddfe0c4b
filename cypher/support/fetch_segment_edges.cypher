// Edges that segments state, each once, by their first place in the text, then by id, for each row. Rows for claims
// alone have their relations and modalities; empty lists mean all.
// params: rows, limit
// returns: edges, nodes
// mode: read
// uses: segment_id, node_id, mention_edge
UNWIND $rows AS row
CALL (row) {
  MATCH (g:Segment {segment_id: row.parent})-[:HAS_MENTION]->(m:Mention)
  USING INDEX SEEK g:Segment(segment_id)
  WHERE m.edge_id IS NOT NULL AND (size(row.relations) = 0 OR m.relation IN row.relations)
    AND (size(row.modalities) = 0 OR g.modality IN row.modalities)
  WITH row, m.edge_id AS edge_id, m.source AS source, m.target AS target, min(coalesce(m.char_start, 0)) AS place
  ORDER BY place, edge_id LIMIT $limit
  WITH row, collect([edge_id, source, target, place])[..row.limit] AS found
  UNWIND found AS item
  WITH item[0] AS edge_id, item[1] AS source, item[2] AS target, item[3] AS place
  MATCH (s:Node {node_id: source})-[r {edge_id: edge_id}]->(t:Node {node_id: target})
  USING INDEX SEEK s:Node(node_id)
  USING INDEX SEEK t:Node(node_id)
  RETURN s, r, t, edge_id, place
}
CALL (edge_id) {
  OPTIONAL MATCH (m:Mention {edge_id: edge_id})<-[:HAS_MENTION]-(s:Segment)<-[:HAS_SEGMENT]-(d:Document)
  USING INDEX SEEK m:Mention(edge_id)
  RETURN count(m) AS mentions, min([NOT m.verified, d.source_doc_id, coalesce(m.line_start, 0), s.ordinal,
    coalesce(m.char_start, 0), m.mention_id, d.path, m.line_start, m.evidence_span]) AS first
}
WITH row.position AS position, edge_id, place, r, s, t, mentions, first ORDER BY position, place, edge_id
WITH collect({position: position, edge_id: edge_id, source: s.node_id, target: t.node_id, relation: r.relation,
    provenance: r.provenance, confidence: r.confidence, mentions: mentions, path: first[6], line: first[7],
    evidence_span: CASE WHEN NOT first[0] THEN first[8] END}) AS edges,
  collect(DISTINCT s) AS sources, collect(DISTINCT t) AS targets
RETURN edges, [n IN sources + [t IN targets WHERE NOT t IN sources] |
    n {.node_id, .name, .kind, .description, .aliases, .path, .line_start, .line_end, .signature}] AS nodes
