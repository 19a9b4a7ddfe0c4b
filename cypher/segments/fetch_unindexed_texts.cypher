// The texts of some segments whose words are not in the full-text index.
// params: limit
// returns: texts
// mode: read
// uses: none
MATCH (s:Segment) WHERE s.text_terms IS NULL
WITH s LIMIT $limit
RETURN collect({segment_id: s.segment_id, text: s.text}) AS texts
