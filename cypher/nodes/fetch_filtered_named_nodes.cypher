// The nodes that bear a name, case and spacing aside, and that a filter lets through.
// params: name_key, clauses, complement, limit
// returns: node_id, name, kind, description, aliases, path, line_start, line_end, signature
// mode: read
// uses: node_name_key, origin_name_key
CALL {
  MATCH (n:Node {name_key: $name_key})
  RETURN n
  UNION
  MATCH (o:Origin {name_key: $name_key})
  MATCH (n:Node {node_id: o.root})
  RETURN n
}
WITH n WHERE $complement <> all(clause IN $clauses WHERE any(test IN clause WHERE test.negated <> head([value IN [
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
RETURN n.node_id AS node_id, n.name AS name, n.kind AS kind, n.description AS description, n.aliases AS aliases,
  n.path AS path, n.line_start AS line_start, n.line_end AS line_end, n.signature AS signature
ORDER BY node_id LIMIT $limit
