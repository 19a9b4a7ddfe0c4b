// Nodes that a filter lets through, by up to three fields, then by id, after a place in that order. They are looked for
// where `start` says: one of its lists has values, the others are empty. Absent fields of the order sort as 0.
// params: start, clauses, complement, order, after, limit
// returns: nodes, sorts
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
WITH n,
  CASE $order[0].field
    WHEN 'name' THEN n.name WHEN 'kind' THEN n.kind
    WHEN 'degree' THEN COUNT { (n)-->() } + COUNT { (n)<--() } - COUNT { (n)<-[:OF]-() } ELSE 0
  END AS sort_0,
  CASE $order[1].field
    WHEN 'name' THEN n.name WHEN 'kind' THEN n.kind
    WHEN 'degree' THEN COUNT { (n)-->() } + COUNT { (n)<--() } - COUNT { (n)<-[:OF]-() } ELSE 0
  END AS sort_1,
  CASE $order[2].field
    WHEN 'name' THEN n.name WHEN 'kind' THEN n.kind
    WHEN 'degree' THEN COUNT { (n)-->() } + COUNT { (n)<--() } - COUNT { (n)<-[:OF]-() } ELSE 0
  END AS sort_2
WHERE $after IS NULL OR CASE
  WHEN sort_0 <> $after[0] THEN $order[0].descending <> (sort_0 > $after[0])
  WHEN sort_1 <> $after[1] THEN $order[1].descending <> (sort_1 > $after[1])
  WHEN sort_2 <> $after[2] THEN $order[2].descending <> (sort_2 > $after[2])
  ELSE n.node_id > $after[3]
END
WITH n, sort_0, sort_1, sort_2 ORDER BY
  CASE WHEN $order[0].descending THEN null ELSE sort_0 END, CASE WHEN $order[0].descending THEN sort_0 END DESC,
  CASE WHEN $order[1].descending THEN null ELSE sort_1 END, CASE WHEN $order[1].descending THEN sort_1 END DESC,
  CASE WHEN $order[2].descending THEN null ELSE sort_2 END, CASE WHEN $order[2].descending THEN sort_2 END DESC,
  n.node_id LIMIT $limit
RETURN collect(n {.node_id, .name, .kind, .description, .aliases, .path, .line_start, .line_end, .signature}) AS nodes,
  collect([sort_0, sort_1, sort_2]) AS sorts
