// Nodes of one kind that a filter lets through, in the order of their ids, after one of them. Read in order from the
// index.
// params: kind, after, clauses, complement, limit
// returns: nodes
// mode: read
// uses: node_kind
MATCH (n:Node)
USING INDEX SEEK n:Node(kind, node_id)
WHERE n.kind = $kind AND n.node_id > $after
  AND $complement <> all(clause IN $clauses WHERE any(test IN clause WHERE test.negated <> head([value IN [
  CASE test.field
    WHEN 'degree' THEN COUNT { (n)-->() } + COUNT { (n)<--() } - COUNT { (n)<-[:OF]-() }
    WHEN 'document' THEN CASE WHEN EXISTS {
      (n)<-[:OF]-(:Mention)<-[:HAS_MENTION]-(:Segment)<-[:HAS_SEGMENT]-(:Document {source_doc_id: test.value})
    } THEN test.value END
    ELSE n[test.field]
  END
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
WITH n ORDER BY n.kind, n.node_id LIMIT $limit
RETURN collect(n {.node_id, .name, .kind, .description, .aliases, .path, .line_start, .line_end, .signature}) AS nodes
