// The texts of documents, segment by segment, with the hash of what they were made from.
// params: document_ids
// returns: document_id, content_hash, texts
// mode: read
// uses: source_doc_id
UNWIND $document_ids AS document_id
MATCH (d:Document {source_doc_id: document_id})
OPTIONAL MATCH (d)-[:HAS_SEGMENT]->(s:Segment)
WITH d, s ORDER BY s.ordinal
WITH d, collect(s.text) AS texts
RETURN d.source_doc_id AS document_id, d.content_hash AS content_hash, texts ORDER BY document_id
