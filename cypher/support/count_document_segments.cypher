// How many segments documents have.
// params: rows
// returns: counts
// mode: read
// uses: source_doc_id
UNWIND $rows AS row
MATCH (d:Document {source_doc_id: row.parent})
USING INDEX SEEK d:Document(source_doc_id)
RETURN collect({position: row.position, count: COUNT { (d)-[:HAS_SEGMENT]->() }}) AS counts
