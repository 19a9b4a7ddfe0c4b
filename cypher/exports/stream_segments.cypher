// Every segment with its document, by id.
// params: none
// returns: parent, target, labels, properties
// mode: read
// uses: segment_id
MATCH (s:Segment) WHERE s.segment_id >= ''
MATCH (d:Document)-[:HAS_SEGMENT]->(s)
RETURN d.source_doc_id AS parent, null AS target, labels(s) AS labels, properties(s) AS properties
ORDER BY s.segment_id
