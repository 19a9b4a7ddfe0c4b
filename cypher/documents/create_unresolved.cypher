// Write the uses of names that could not be resolved, kept with their document.
// params: rows
// returns: none
// mode: write
// uses: source_doc_id
UNWIND $rows AS row
MATCH (d:Document {source_doc_id: row.document_id})
CREATE (d)-[:HAS_UNRESOLVED]->(u:Unresolved)
SET u = row.properties
