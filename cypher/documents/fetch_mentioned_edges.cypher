// The edges that documents state: those that may lose their last support when the documents are retracted.
// params: document_ids
// returns: edge_id, source, target
// mode: read
// uses: source_doc_id
UNWIND $document_ids AS document_id
MATCH (:Document {source_doc_id: document_id})-[:HAS_SEGMENT]->(:Segment)-[:HAS_MENTION]->(m:Mention)
WHERE m.edge_id IS NOT NULL
RETURN DISTINCT m.edge_id AS edge_id, m.source AS source, m.target AS target ORDER BY edge_id
