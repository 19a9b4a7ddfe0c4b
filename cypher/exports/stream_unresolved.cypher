// Every unresolved use with its document, by document, then by all that tells them apart.
// params: none
// returns: parent, target, labels, properties
// mode: read
// uses: source_doc_id
MATCH (d:Document) WHERE d.source_doc_id >= ''
MATCH (d)-[:HAS_UNRESOLVED]->(u:Unresolved)
RETURN d.source_doc_id AS parent, null AS target, labels(u) AS labels, properties(u) AS properties
ORDER BY d.source_doc_id, u.source, u.relation, u.name, u.reason, u.line, u.count
