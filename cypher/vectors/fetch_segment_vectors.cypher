// The texts of segments, with their vectors where they have one.
// params: ids
// returns: id, text, vector
// mode: read
// uses: segment_id
UNWIND $ids AS id
MATCH (s:Segment {segment_id: id})
RETURN id, s.text AS text, s.embedding AS vector
ORDER BY id
