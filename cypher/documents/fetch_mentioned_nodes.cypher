// The nodes that documents mention: those that may lose their last support when the documents are retracted.
// params: document_ids
// returns: node_id
// mode: read
// uses: source_doc_id
UNWIND $document_ids AS document_id
MATCH (:Document {source_doc_id: document_id})-[:HAS_SEGMENT]->(:Segment)-[:HAS_MENTION]->(:Mention)-[:OF]->(n:Node)
RETURN DISTINCT n.node_id AS node_id ORDER BY node_id
