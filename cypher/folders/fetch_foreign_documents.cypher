// Those of the given documents that came from another folder.
// params: document_ids, folder_id, limit
// returns: document_id, folder_id
// mode: read
// uses: source_doc_id
UNWIND $document_ids AS document_id
MATCH (d:Document {source_doc_id: document_id}) WHERE d.folder_id <> $folder_id
RETURN d.source_doc_id AS document_id, d.folder_id AS folder_id
ORDER BY document_id LIMIT $limit
