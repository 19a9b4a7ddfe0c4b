// Documents by their ids.
// params: document_ids
// returns: documents
// mode: read
// uses: source_doc_id
UNWIND $document_ids AS document_id
MATCH (d:Document {source_doc_id: document_id})
USING INDEX SEEK d:Document(source_doc_id)
RETURN collect(d {.path, .modality, .status, .reason, .language, .content_hash, .nodes, .edges, .mentions,
    document_id: d.source_doc_id, ingested_ms: d.ingested_at.epochMillis}) AS documents
