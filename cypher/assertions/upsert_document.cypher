// The document that holds a caller's statements, locked; made when it is not there.
// params: document_id, folder_id, content_hash
// returns: folder_id, path
// mode: write
// uses: source_doc_id
MERGE (d:Document {source_doc_id: $document_id})
ON CREATE SET d.folder_id = $folder_id, d.content_hash = $content_hash, d.facts_hash = '', d.modality = 'TEXT',
  d.status = 'DONE', d.text_bytes = 0
SET d.ingested_at = datetime()
RETURN d.folder_id AS folder_id, d.path AS path
