// Edges at the nodes of a name, case and spacing aside, with both ends and the place of the first mention.
// params: name_key, limit
// returns: edge, source, target
// mode: read
// uses: node_name_key, mention_edge
MATCH (n:Node {name_key: $name_key})-[r]-(:Node)
WITH DISTINCT r, startNode(r) AS s, endNode(r) AS t
ORDER BY s.node_id, r.relation, t.node_id, r.edge_id LIMIT $limit
CALL (r) {
  OPTIONAL MATCH (d:Document)-[:HAS_SEGMENT]->(:Segment)-[:HAS_MENTION]->(m:Mention {edge_id: r.edge_id})
  WITH d, m ORDER BY d.source_doc_id, m.line_start, m.char_start, m.mention_id
  RETURN count(m) AS mentions, head(collect({path: d.path, line: m.line_start, span: m.evidence_span})) AS first
}
RETURN {edge_id: r.edge_id, source: s.node_id, target: t.node_id, relation: r.relation, provenance: r.provenance,
    confidence: r.confidence, mentions: mentions, path: first.path, line: first.line,
    evidence_span: first.span} AS edge,
  s {.node_id, .name, .kind, .description, .aliases, .path, .line_start, .line_end, .signature} AS source,
  t {.node_id, .name, .kind, .description, .aliases, .path, .line_start, .line_end, .signature} AS target
ORDER BY edge.source, edge.relation, edge.target, edge.edge_id
