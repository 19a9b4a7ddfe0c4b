// Segments of documents, a page for each row: in the order of the text, after a place in it.
// params: rows, limit
// returns: segments
// mode: read
// uses: source_doc_id
UNWIND $rows AS row
CALL (row) {
  MATCH (d:Document {source_doc_id: row.parent})-[:HAS_SEGMENT]->(s:Segment)
  USING INDEX SEEK d:Document(source_doc_id)
  WITH row, s, [s.ordinal, s.segment_id] AS key
  WHERE row.after IS NULL OR key > row.after
  WITH row, s, key ORDER BY key LIMIT $limit
  WITH row, collect([s, key])[..row.limit] AS found
  UNWIND found AS item
  RETURN item[0] AS s, item[1] AS key
}
WITH row, s, key ORDER BY row.position, key
RETURN collect(s {.segment_id, .label, .ordinal, .modality, .char_offset, .line_start, .ts_start, .ts_end, .page,
      .heading,
  position: row.position, document_id: row.parent, key: key}) AS segments
