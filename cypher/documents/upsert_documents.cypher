// Write the documents' own state and lock them, so that two writers of one document follow one another.
// params: rows
// returns: document_id, existed
// mode: write
// uses: source_doc_id
UNWIND $rows AS row
MERGE (d:Document {source_doc_id: row.source_doc_id})
WITH d, row, d.content_hash IS NOT NULL AS existed
SET d += row, d.ingested_at = datetime()
RETURN d.source_doc_id AS document_id, existed
