// Segments by their ids.
// params: segment_ids
// returns: segments
// mode: read
// uses: segment_id
UNWIND $segment_ids AS segment_id
MATCH (d:Document)-[:HAS_SEGMENT]->(s:Segment {segment_id: segment_id})
USING INDEX SEEK s:Segment(segment_id)
RETURN collect(s {.segment_id, .label, .ordinal, .modality, .char_offset, .line_start, .ts_start, .ts_end, .page,
      .heading,
  document_id: d.source_doc_id}) AS segments
