// Edges by id and ends, with how often they are mentioned and the place of the first mention.
// params: rows
// returns: edge_id, source, target, relation, provenance, confidence, mentions, path, line, evidence_span
// mode: read
// uses: node_id, mention_edge
UNWIND $rows AS row
MATCH (s:Node {node_id: row.source})-[r {edge_id: row.edge_id}]->(t:Node {node_id: row.target})
OPTIONAL MATCH (d:Document)-[:HAS_SEGMENT]->(:Segment)-[:HAS_MENTION]->(m:Mention {edge_id: row.edge_id})
WITH s, t, r, d, m ORDER BY NOT m.verified, d.source_doc_id, m.line_start, m.char_start, m.mention_id
WITH s, t, r, count(m) AS mentions, head(collect({path: d.path, line: m.line_start, span: CASE WHEN m.verified THEN m.evidence_span END})) AS first
RETURN r.edge_id AS edge_id, s.node_id AS source, t.node_id AS target, r.relation AS relation,
  r.provenance AS provenance, r.confidence AS confidence, mentions,
  first.path AS path, first.line AS line, first.span AS evidence_span
ORDER BY edge_id
