// Write segments of a caller's document: one for statements without evidence, one for each quotation. Tells their texts
// of before, empty where there was none.
// params: document_id, rows
// returns: segment_id, earlier
// mode: write
// uses: source_doc_id, segment_id
UNWIND $rows AS row
MATCH (d:Document {source_doc_id: $document_id})
MERGE (s:Segment {segment_id: row.properties.segment_id})
MERGE (d)-[:HAS_SEGMENT]->(s)
WITH s, row, coalesce(s.text, '') AS earlier
SET s += row.properties
RETURN s.segment_id AS segment_id, earlier
