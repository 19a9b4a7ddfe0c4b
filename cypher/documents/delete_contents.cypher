// Take away all that documents say: segments, mentions and unresolved uses. The documents themselves stay.
// params: document_ids
// returns: none
// mode: write
// uses: source_doc_id
UNWIND $document_ids AS document_id
MATCH (d:Document {source_doc_id: document_id})
OPTIONAL MATCH (d)-[:HAS_SEGMENT]->(s:Segment)
OPTIONAL MATCH (s)-[:HAS_MENTION]->(m:Mention)
DETACH DELETE m, s
WITH DISTINCT d
MATCH (d)-[:HAS_UNRESOLVED]->(u:Unresolved)
DETACH DELETE u
