// Nodes by their vectors that a filter lets through, nearest first: all that have a vector are compared. They are
// looked for where `start` says: one of its lists has values.
// params: vector, start, clauses, complement, limit
// returns: node_id, name, kind, description, aliases, path, line_start, line_end, signature, score
// mode: read
// uses: node_name, node_path, node_kind, source_doc_id
CALL () {
  UNWIND $start.names AS name
  MATCH (n:Node {name: name})
  USING INDEX SEEK n:Node(name)
  RETURN n
  UNION ALL
  UNWIND $start.name_prefixes AS prefix
  MATCH (n:Node)
  USING INDEX SEEK n:Node(name)
  WHERE n.name STARTS WITH prefix
  RETURN n
  UNION ALL
  UNWIND $start.paths AS path
  MATCH (n:Node {path: path})
  USING INDEX SEEK n:Node(path)
  RETURN n
  UNION ALL
  UNWIND $start.path_prefixes AS prefix
  MATCH (n:Node)
  USING INDEX SEEK n:Node(path)
  WHERE n.path STARTS WITH prefix
  RETURN n
  UNION ALL
  UNWIND $start.kinds AS kind
  MATCH (n:Node {kind: kind})
  RETURN n
  UNION ALL
  UNWIND $start.documents AS document_id
  MATCH (d:Document {source_doc_id: document_id})-[:HAS_SEGMENT]->(:Segment)-[:HAS_MENTION]->(:Mention)-[:OF]->(n:Node)
  USING INDEX SEEK d:Document(source_doc_id)
  RETURN DISTINCT n
  UNION ALL
  UNWIND $start.everything AS _
  MATCH (n:Node)
  RETURN n
}
WITH n WHERE n.embedding IS NOT NULL
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
WITH n, vector.similarity.cosine(n.embedding, $vector) AS score ORDER BY score DESC, n.node_id LIMIT $limit
RETURN n.node_id AS node_id, n.name AS name, n.kind AS kind, n.description AS description, n.aliases AS aliases,
  n.path AS path, n.line_start AS line_start, n.line_end AS line_end, n.signature AS signature, score
ORDER BY score DESC, node_id
