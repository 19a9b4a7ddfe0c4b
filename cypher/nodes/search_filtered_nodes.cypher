// Nodes by the words of their names and descriptions that a filter lets through, best first. All that the words find
// are looked at, so that a filter never hides a node behind the ones that it drops.
// params: query, words, clauses, complement, limit
// returns: node_id, name, kind, description, aliases, path, line_start, line_end, signature, score, matched
// mode: read
// uses: node_text
CALL db.index.fulltext.queryNodes('node_text', $query) YIELD node AS n, score
WITH n, score
WHERE $complement <> all(clause IN $clauses WHERE any(test IN clause WHERE test.negated <> head([value IN [
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
  n.path AS path, n.line_start AS line_start, n.line_end AS line_end, n.signature AS signature, score,
  [word IN $words WHERE (' ' + n.name_terms + ' ' + n.text_terms + ' ') CONTAINS (' ' + word + ' ')] AS matched
ORDER BY score DESC, node_id LIMIT $limit
