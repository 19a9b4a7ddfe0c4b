// Segments by their words, best first.
// params: query, words, limit
// returns: segments
// mode: read
// uses: segment_text
CALL db.index.fulltext.queryNodes('segment_text', $query, {limit: $limit}) YIELD node AS s, score
MATCH (d:Document)-[:HAS_SEGMENT]->(s)
WITH s, score, d.source_doc_id AS document_id ORDER BY score DESC, s.segment_id
RETURN collect(s {.segment_id, .label, .ordinal, .modality, .char_offset, .line_start, .ts_start, .ts_end, .page, .heading,
  document_id: document_id, score: score,
  matched: [word IN $words WHERE (' ' + s.text_terms + ' ') CONTAINS (' ' + word + ' ')]}) AS segments
