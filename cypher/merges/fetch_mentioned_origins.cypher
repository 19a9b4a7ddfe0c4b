// The merged nodes that documents speak of under their own ids.
// params: document_ids
// returns: node_id, root
// mode: read
// uses: source_doc_id
UNWIND $document_ids AS document_id
MATCH (:Document {source_doc_id: document_id})-[:HAS_SEGMENT]->(:Segment)-[:HAS_MENTION]->(:Mention)-[:ORIGIN]->(o:Origin)
RETURN DISTINCT o.node_id AS node_id, o.root AS root ORDER BY node_id
