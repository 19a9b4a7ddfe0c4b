// Mentions and documents of nodes, a page for each row: mentions by document, line, segment and character, documents by
// id, after a place in that order. `stated` has the position and key of each document; segments and documents come
// once.
// params: mentions, documents, limit
// returns: mentions, segments, stated, documents
// mode: read
// uses: node_id
CALL () {
  UNWIND $mentions AS row
  CALL (row) {
    MATCH (n:Node {node_id: row.parent})<-[:OF]-(m:Mention)<-[:HAS_MENTION]-(s:Segment)<-[:HAS_SEGMENT]-(d:Document)
    USING INDEX SEEK n:Node(node_id)
    WITH m, s, d,
      [d.source_doc_id, coalesce(m.line_start, 0), s.ordinal, coalesce(m.char_start, 0), m.mention_id] AS key
    WHERE row.after IS NULL OR key > row.after
    WITH m, s, d, key ORDER BY key LIMIT $limit
    WITH collect([m, s, d, key]) AS found
    UNWIND found[..row.limit] AS item
    RETURN item[0] AS m, item[1] AS s, item[2] AS d, item[3] AS key
  }
  WITH row.position AS position, m, s, d, key ORDER BY position, key
  RETURN collect(m {.mention_id, .modality, .ts_start, .ts_end, .char_start, .char_end, .line_start, .line_end,
    .evidence_span, .verified, .kind, .term, .valid_from, .valid_to, .wording, .description, position: position, document_id: d.source_doc_id, segment_id: s.segment_id,
    key: key}) AS mentions,
    collect(DISTINCT s) AS segments, collect(DISTINCT d) AS mentioning
}
CALL () {
  UNWIND $documents AS row
  CALL (row) {
    MATCH (n:Node {node_id: row.parent})<-[:OF]-(:Mention)<-[:HAS_MENTION]-(:Segment)<-[:HAS_SEGMENT]-(d:Document)
    USING INDEX SEEK n:Node(node_id)
    WITH DISTINCT d WHERE d.source_doc_id > row.after
    WITH d ORDER BY d.source_doc_id LIMIT $limit
    WITH collect(d) AS found
    UNWIND found[..row.limit] AS d
    RETURN d
  }
  WITH row.position AS position, d ORDER BY position, d.source_doc_id
  RETURN collect({position: position, document_id: d.source_doc_id}) AS stated, collect(DISTINCT d) AS stating
}
RETURN mentions, [s IN segments |
    s {.segment_id, .label, .ordinal, .modality, .char_offset, .line_start, .ts_start, .ts_end, .page,
      .heading}] AS segments, stated,
  [d IN mentioning + [d IN stating WHERE NOT d IN mentioning] |
    d {.path, .modality, .status, .reason, .language, .content_hash, .nodes, .edges, .mentions,
      document_id: d.source_doc_id, ingested_ms: d.ingested_at.epochMillis}] AS documents
