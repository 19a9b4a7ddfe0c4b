// Segments by their vectors, nearest first. The index is asked for `candidates`, whose similarity is computed exactly.
// params: vector, candidates, limit
// returns: segments
// mode: read
// uses: segment_embedding
CALL db.index.vector.queryNodes('segment_embedding', $candidates, $vector) YIELD node AS s
MATCH (d:Document)-[:HAS_SEGMENT]->(s)
WITH s, d.source_doc_id AS document_id, vector.similarity.cosine(s.embedding, $vector) AS score
ORDER BY score DESC, s.segment_id LIMIT $limit
RETURN collect(s {.segment_id, .label, .ordinal, .modality, .char_offset, .line_start, .ts_start, .ts_end, .page, .heading,
  document_id: document_id, score: score}) AS segments
