// Texts of documents that do not say how many bytes they have: some of them at a time.
// params: limit
// returns: document_id, texts
// mode: read
// uses: none
MATCH (d:Document) WHERE d.text_bytes IS NULL
WITH d LIMIT $limit
RETURN d.source_doc_id AS document_id, [(d)-[:HAS_SEGMENT]->(s:Segment) | s.text] AS texts ORDER BY document_id
