// Note that segments say nothing that a vector could be made of.
// params: rows
// returns: none
// mode: write
// uses: segment_id
UNWIND $rows AS row
MATCH (s:Segment {segment_id: row.id})
SET s.embedding_of = row.embedding_of
REMOVE s.embedding
