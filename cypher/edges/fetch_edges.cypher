// Edges by id and ends, in one row, with how often they are mentioned and the place of the first mention, verified ones
// first.
// params: rows
// returns: edges
// mode: read
// uses: node_id, mention_edge
UNWIND $rows AS row
MATCH (s:Node {node_id: row.source})-[r {edge_id: row.edge_id}]->(t:Node {node_id: row.target})
USING INDEX SEEK s:Node(node_id)
USING INDEX SEEK t:Node(node_id)
WITH r, row.edge_id AS edge_id, s.node_id AS source, t.node_id AS target
CALL (edge_id) {
  OPTIONAL MATCH (m:Mention {edge_id: edge_id})<-[:HAS_MENTION]-(s:Segment)<-[:HAS_SEGMENT]-(d:Document)
  USING INDEX SEEK m:Mention(edge_id)
  RETURN count(m) AS mentions, min([NOT m.verified, d.source_doc_id, coalesce(m.line_start, 0), s.ordinal,
    coalesce(m.char_start, 0), m.mention_id, d.path, m.line_start, m.evidence_span]) AS first
}
WITH r, edge_id, source, target, mentions, first ORDER BY edge_id
RETURN collect({edge_id: edge_id, source: source, target: target, relation: r.relation, provenance: r.provenance,
  confidence: r.confidence, mentions: mentions, path: first[6], line: first[7],
  evidence_span: CASE WHEN NOT first[0] THEN first[8] END}) AS edges
