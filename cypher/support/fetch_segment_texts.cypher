// The texts of segments.
// params: segment_ids
// returns: texts
// mode: read
// uses: segment_id
UNWIND $segment_ids AS segment_id
MATCH (s:Segment {segment_id: segment_id})
USING INDEX SEEK s:Segment(segment_id)
RETURN collect({segment_id: segment_id, text: s.text}) AS texts
