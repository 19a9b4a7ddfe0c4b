// Write the documents' own state and lock them, so that two writers of one document follow one another.
// params: rows
// returns: document_id, existed
// mode: write
// uses: document_id
UNWIND $rows AS row
MERGE (d:Document {document_id: row.document_id})
WITH d, row, d.content_hash IS NOT NULL AS existed
SET d += row, d.ingested_at = datetime()
RETURN d.document_id AS document_id, existed
