// Write segments of a caller's document: one for statements without evidence, one for each quotation.
// params: document_id, rows
// returns: none
// mode: write
// uses: source_doc_id, segment_id
UNWIND $rows AS row
MATCH (d:Document {source_doc_id: $document_id})
MERGE (s:Segment {segment_id: row.properties.segment_id})
MERGE (d)-[:HAS_SEGMENT]->(s)
SET s += row.properties
