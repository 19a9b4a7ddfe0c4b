// Take the write locks of documents that are there, in the order of their ids.
// params: document_ids
// returns: document_id
// mode: write
// uses: document_id
UNWIND $document_ids AS document_id
MATCH (d:Document {document_id: document_id})
SET d.document_id = d.document_id
RETURN d.document_id AS document_id
