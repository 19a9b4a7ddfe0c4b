// The texts of segments that are given as evidence.
// params: segment_ids
// returns: segment_id, text
// mode: read
// uses: segment_id
UNWIND $segment_ids AS segment_id
MATCH (s:Segment {segment_id: segment_id})
RETURN s.segment_id AS segment_id, s.text AS text ORDER BY segment_id
