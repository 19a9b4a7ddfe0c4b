// Every document, by id.
// params: none
// returns: parent, target, labels, properties
// mode: read
// uses: source_doc_id
MATCH (d:Document) WHERE d.source_doc_id >= ''
RETURN null AS parent, null AS target, labels(d) AS labels, properties(d) AS properties
ORDER BY d.source_doc_id
