// Every mention with the document and the text span that it stands for.
// params: none
// returns: mention_id, document_id, segment_id, node_id, edge_id, modality, char_start, char_end, line_start, line_end, evidence_span, verified, kind, term, valid_from, valid_to, wording, description, of
// mode: read
// uses: none
MATCH (d:Document)-[:HAS_SEGMENT]->(s:Segment)-[:HAS_MENTION]->(m:Mention)
OPTIONAL MATCH (m)-[:OF]->(n:Node)
RETURN m.mention_id AS mention_id, d.source_doc_id AS document_id, s.segment_id AS segment_id, m.node_id AS node_id,
  m.edge_id AS edge_id, m.modality AS modality, m.char_start AS char_start, m.char_end AS char_end,
  m.line_start AS line_start, m.line_end AS line_end, m.evidence_span AS evidence_span, m.verified AS verified,
  coalesce(m.stated_kind, m.kind) AS kind, m.term AS term, m.valid_from AS valid_from, m.valid_to AS valid_to,
  m.wording AS wording, m.description AS description, n.node_id AS of
