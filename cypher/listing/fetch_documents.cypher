// Documents that a filter lets through, in the order of their ids, after one of them. Read in order from the index.
// params: after, clauses, complement, limit
// returns: documents
// mode: read
// uses: source_doc_id
MATCH (d:Document)
USING INDEX SEEK d:Document(source_doc_id)
WHERE d.source_doc_id > $after
  AND $complement <> all(clause IN $clauses WHERE any(test IN clause WHERE test.negated <> head([value IN [
  d[test.field]
] | coalesce(CASE test.op
  WHEN 'eq' THEN value = test.value
  WHEN 'in' THEN value IN test.value
  WHEN 'contains' THEN value CONTAINS test.value
  WHEN 'starts_with' THEN value STARTS WITH test.value
  WHEN 'ends_with' THEN value ENDS WITH test.value
  WHEN 'gt' THEN value > test.value
  WHEN 'gte' THEN value >= test.value
  WHEN 'lt' THEN value < test.value
  WHEN 'lte' THEN value <= test.value
END, false)])))
WITH d ORDER BY d.source_doc_id LIMIT $limit
RETURN collect(d {.path, .modality, .status, .reason, .language, .content_hash, .nodes, .edges, .mentions,
    document_id: d.source_doc_id, ingested_ms: d.ingested_at.epochMillis}) AS documents
