// Edges that a filter lets through, by up to two fields, then by id, after a place in that order. They are looked for
// where `start` says: one of its lists has values, the others are empty. Absent fields of the order sort as 0.
// params: start, clauses, complement, order, after, limit
// returns: edges, nodes
// mode: read
// uses: node_id, source_doc_id, mention_edge
CALL () {
  UNWIND $start.sources AS node_id
  MATCH (n:Node {node_id: node_id})-[r]->(:Node)
  USING INDEX SEEK n:Node(node_id)
  RETURN r
  UNION ALL
  UNWIND $start.targets AS node_id
  MATCH (n:Node {node_id: node_id})<-[r]-(:Node)
  USING INDEX SEEK n:Node(node_id)
  RETURN r
  UNION ALL
  UNWIND $start.documents AS document_id
  MATCH (d:Document {source_doc_id: document_id})-[:HAS_SEGMENT]->(:Segment)-[:HAS_MENTION]->(m:Mention)
  USING INDEX SEEK d:Document(source_doc_id)
  WHERE m.edge_id IS NOT NULL
  WITH DISTINCT m.edge_id AS edge_id, m.source AS source, m.target AS target
  MATCH (s:Node {node_id: source})-[r {edge_id: edge_id}]->(t:Node {node_id: target})
  USING INDEX SEEK s:Node(node_id)
  USING INDEX SEEK t:Node(node_id)
  RETURN r
  UNION ALL
  UNWIND $start.everything AS _
  MATCH (:Node)-[r]->(:Node)
  RETURN r
}
WITH r, startNode(r) AS s, endNode(r) AS t
WHERE $complement <> all(clause IN $clauses WHERE any(test IN clause WHERE test.negated <> head([value IN [
  CASE test.field
    WHEN 'source' THEN s.node_id
    WHEN 'target' THEN t.node_id
    WHEN 'document' THEN CASE WHEN EXISTS {
      (:Mention {edge_id: r.edge_id})<-[:HAS_MENTION]-(:Segment)<-[:HAS_SEGMENT]-(:Document {source_doc_id: test.value})
    } THEN test.value END
    ELSE r[test.field]
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
WITH r, s, t, r.edge_id AS edge_id,
  CASE $order[0].field WHEN 'relation' THEN r.relation WHEN 'confidence' THEN r.confidence ELSE 0 END AS sort_0,
  CASE $order[1].field WHEN 'relation' THEN r.relation WHEN 'confidence' THEN r.confidence ELSE 0 END AS sort_1
WHERE $after IS NULL OR CASE
  WHEN sort_0 <> $after[0] THEN $order[0].descending <> (sort_0 > $after[0])
  WHEN sort_1 <> $after[1] THEN $order[1].descending <> (sort_1 > $after[1])
  ELSE edge_id > $after[2]
END
WITH r, s, t, edge_id, sort_0, sort_1 ORDER BY
  CASE WHEN $order[0].descending THEN null ELSE sort_0 END, CASE WHEN $order[0].descending THEN sort_0 END DESC,
  CASE WHEN $order[1].descending THEN null ELSE sort_1 END, CASE WHEN $order[1].descending THEN sort_1 END DESC,
  edge_id LIMIT $limit
CALL (edge_id) {
  OPTIONAL MATCH (m:Mention {edge_id: edge_id})<-[:HAS_MENTION]-(s:Segment)<-[:HAS_SEGMENT]-(d:Document)
  USING INDEX SEEK m:Mention(edge_id)
  RETURN count(m) AS mentions, min([NOT m.verified, d.source_doc_id, coalesce(m.line_start, 0), s.ordinal,
    coalesce(m.char_start, 0), m.mention_id, d.path, m.line_start, m.evidence_span]) AS first
}
WITH r, s, t, edge_id, sort_0, sort_1, mentions, first ORDER BY
  CASE WHEN $order[0].descending THEN null ELSE sort_0 END, CASE WHEN $order[0].descending THEN sort_0 END DESC,
  CASE WHEN $order[1].descending THEN null ELSE sort_1 END, CASE WHEN $order[1].descending THEN sort_1 END DESC,
  edge_id
WITH collect({edge_id: edge_id, source: s.node_id, target: t.node_id, relation: r.relation,
    provenance: r.provenance, confidence: r.confidence, mentions: mentions, path: first[6], line: first[7],
    evidence_span: CASE WHEN NOT first[0] THEN first[8] END, sort: [sort_0, sort_1]}) AS edges,
  collect(DISTINCT s) AS sources, collect(DISTINCT t) AS targets
RETURN edges, [n IN sources + [t IN targets WHERE NOT t IN sources] |
    n {.node_id, .name, .kind, .description, .aliases, .path, .line_start, .line_end, .signature}] AS nodes
