// Note how many bytes of text documents have that don't say it yet.
// params: rows
// returns: none
// mode: write
// uses: source_doc_id
UNWIND $rows AS row
MATCH (d:Document {source_doc_id: row.document_id}) WHERE d.text_bytes IS NULL
SET d.text_bytes = row.text_bytes
