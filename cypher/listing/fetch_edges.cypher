// Edges that a filter lets through, in the order of their ids, after one of them. Their ids are read in order from the
// mentions, each edge has one at least; `stated` is what one of an edge's mentions must say for it to pass the filter.
// params: after, stated, clauses, complement, limit
// returns: edges, nodes
// mode: read
// uses: mention_edge, node_id
MATCH (m:Mention)
USING INDEX SEEK m:Mention(edge_id)
WHERE m.edge_id > $after AND (size($stated.relations) = 0 OR m.relation IN $stated.relations)
  AND (size($stated.provenances) = 0 OR m.provenance IN $stated.provenances)
  AND $stated.least <= m.confidence <= $stated.most
WITH DISTINCT m.edge_id AS edge_id, m.source AS source, m.target AS target
MATCH (s:Node {node_id: source})-[r {edge_id: edge_id}]->(t:Node {node_id: target})
USING INDEX SEEK s:Node(node_id)
USING INDEX SEEK t:Node(node_id)
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
WITH edge_id, r, s, t ORDER BY edge_id LIMIT $limit
CALL (edge_id) {
  OPTIONAL MATCH (m:Mention {edge_id: edge_id})<-[:HAS_MENTION]-(s:Segment)<-[:HAS_SEGMENT]-(d:Document)
  USING INDEX SEEK m:Mention(edge_id)
  RETURN count(m) AS mentions, min([NOT m.verified, d.source_doc_id, coalesce(m.line_start, 0), s.ordinal,
    coalesce(m.char_start, 0), m.mention_id, d.path, m.line_start, m.evidence_span]) AS first
}
WITH edge_id, r, s, t, mentions, first ORDER BY edge_id
WITH collect({edge_id: edge_id, source: s.node_id, target: t.node_id, relation: r.relation,
    provenance: r.provenance, confidence: r.confidence, mentions: mentions, path: first[6], line: first[7],
    evidence_span: CASE WHEN NOT first[0] THEN first[8] END}) AS edges,
  collect(DISTINCT s) AS sources, collect(DISTINCT t) AS targets
RETURN edges, [n IN sources + [t IN targets WHERE NOT t IN sources] |
    n {.node_id, .name, .kind, .description, .aliases, .path, .line_start, .line_end, .signature}] AS nodes
