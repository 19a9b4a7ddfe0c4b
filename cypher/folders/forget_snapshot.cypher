// Let the next run over a document's folder look at every file again.
// params: document_id
// returns: none
// mode: write
// uses: source_doc_id, folder_id
MATCH (d:Document {source_doc_id: $document_id})
MATCH (f:Folder {folder_id: d.folder_id})
SET f.snapshot = ''
