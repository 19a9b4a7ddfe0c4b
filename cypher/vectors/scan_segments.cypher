// Segments by their vectors, nearest first: all that have a vector are compared.
// params: vector, limit
// returns: segments
// mode: read
// uses: none
MATCH (s:Segment) WHERE s.embedding IS NOT NULL
WITH s, vector.similarity.cosine(s.embedding, $vector) AS score ORDER BY score DESC, s.segment_id LIMIT $limit
MATCH (d:Document)-[:HAS_SEGMENT]->(s)
WITH s, score, d.source_doc_id AS document_id ORDER BY score DESC, s.segment_id
RETURN collect(s {.segment_id, .label, .ordinal, .modality, .char_offset, .line_start, .ts_start, .ts_end, .page, .heading,
  document_id: document_id, score: score}) AS segments
