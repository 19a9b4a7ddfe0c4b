// Make the vector index of segments.
// params: options
// returns: none
// mode: write
// uses: none
CREATE VECTOR INDEX segment_embedding IF NOT EXISTS FOR (s:Segment) ON (s.embedding) OPTIONS $options
