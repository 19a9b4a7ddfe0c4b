// The texts of segments after an id that have no vector. What a segment says never changes.
// params: after, limit, chars
// returns: items
// mode: read
// uses: segment_id
MATCH (s:Segment) WHERE s.segment_id > $after AND s.embedding_of IS NULL
WITH s ORDER BY s.segment_id LIMIT $limit
RETURN collect({id: s.segment_id, heading: s.heading, text: left(s.text, $chars)}) AS items
