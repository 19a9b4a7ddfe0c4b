// Write the segments of documents that have none.
// params: rows
// returns: none
// mode: write
// uses: source_doc_id, segment_id
UNWIND $rows AS row
MATCH (d:Document {source_doc_id: row.document_id})
CREATE (d)-[:HAS_SEGMENT]->(s:Segment)
SET s = row.properties
