// Every segment with its document, by id, without its vector.
// params: none
// returns: parent, target, labels, properties
// mode: read
// uses: segment_id
MATCH (s:Segment) WHERE s.segment_id >= ''
MATCH (d:Document)-[:HAS_SEGMENT]->(s)
RETURN d.source_doc_id AS parent, null AS target, labels(s) AS labels,
  s {.*, embedding: null, embedding_of: null} AS properties
ORDER BY s.segment_id
