// Mentions of edges, a page for each row: by document, line, segment and character, after a place in that order.
// Segments and documents come once.
// params: rows, limit
// returns: mentions, segments, documents
// mode: read
// uses: mention_edge
UNWIND $rows AS row
CALL (row) {
  MATCH (m:Mention {edge_id: row.parent})<-[:HAS_MENTION]-(s:Segment)<-[:HAS_SEGMENT]-(d:Document)
  USING INDEX SEEK m:Mention(edge_id)
  WITH m, s, d,
    [d.source_doc_id, coalesce(m.line_start, 0), s.ordinal, coalesce(m.char_start, 0), m.mention_id] AS key
  WHERE row.after IS NULL OR key > row.after
  WITH m, s, d, key ORDER BY key LIMIT $limit
  WITH collect([m, s, d, key]) AS found
  UNWIND found[..row.limit] AS item
  RETURN item[0] AS m, item[1] AS s, item[2] AS d, item[3] AS key
}
WITH row.position AS position, m, s, d, key ORDER BY position, key
WITH collect(m {.mention_id, .modality, .ts_start, .ts_end, .char_start, .char_end, .line_start, .line_end,
    .evidence_span, .verified, .kind, .term, .valid_from, .valid_to, .wording, .description, position: position, document_id: d.source_doc_id, segment_id: s.segment_id,
    key: key}) AS mentions,
  collect(DISTINCT s) AS segments, collect(DISTINCT d) AS documents
RETURN mentions, [s IN segments |
    s {.segment_id, .label, .ordinal, .modality, .char_offset, .line_start, .ts_start, .ts_end, .page,
      .heading}] AS segments,
  [d IN documents |
    d {.path, .modality, .status, .reason, .language, .content_hash, .nodes, .edges, .mentions,
      document_id: d.source_doc_id, ingested_ms: d.ingested_at.epochMillis}] AS documents
