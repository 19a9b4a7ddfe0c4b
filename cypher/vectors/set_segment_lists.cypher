// Write the vectors of segments for servers that know lists alone, each with the hash of what it was made of.
// params: rows
// returns: none
// mode: write
// uses: segment_id
UNWIND $rows AS row
MATCH (s:Segment {segment_id: row.id})
SET s.embedding = row.vector, s.embedding_of = row.embedding_of
