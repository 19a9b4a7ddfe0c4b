// Remove documents whose contents are gone already.
// params: document_ids
// returns: none
// mode: write
// uses: source_doc_id
UNWIND $document_ids AS document_id
MATCH (d:Document {source_doc_id: document_id})
DETACH DELETE d
