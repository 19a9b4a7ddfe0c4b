// Write the words of segments for the full-text index.
// params: rows
// returns: none
// mode: write
// uses: segment_id
UNWIND $rows AS row
MATCH (s:Segment {segment_id: row.segment_id})
SET s.text_terms = row.text_terms
