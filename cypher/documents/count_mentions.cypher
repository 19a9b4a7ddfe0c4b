// How many mentions documents hold.
// params: document_ids
// returns: mentions
// mode: read
// uses: source_doc_id
UNWIND $document_ids AS document_id
MATCH (:Document {source_doc_id: document_id})-[:HAS_SEGMENT]->(:Segment)-[:HAS_MENTION]->(m:Mention)
RETURN count(m) AS mentions
