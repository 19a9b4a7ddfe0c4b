// Take the write locks of documents that are there, in the order of their ids, and tell what they hold.
// params: document_ids
// returns: document_id, content_hash
// mode: write
// uses: source_doc_id
UNWIND $document_ids AS document_id
MATCH (d:Document {source_doc_id: document_id})
SET d.source_doc_id = d.source_doc_id
RETURN d.source_doc_id AS document_id, d.content_hash AS content_hash
