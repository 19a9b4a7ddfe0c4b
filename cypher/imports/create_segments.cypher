// Write segments of documents. Fewer are written than given where a document is not there.
// params: rows
// returns: written
// mode: write
// uses: source_doc_id
UNWIND $rows AS row
MATCH (d:Document {source_doc_id: row.parent})
CREATE (d)-[:HAS_SEGMENT]->(s:Segment)
SET s = row.properties
RETURN count(*) AS written
