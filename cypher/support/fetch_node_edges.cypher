// Edges at nodes with both of their ends, a page for each row: by id, after an id. A self-loop comes once. Nodes come
// once.
// params: rows, limit
// returns: edges, nodes
// mode: read
// uses: node_id, mention_edge
UNWIND $rows AS row
CALL (row) {
  MATCH (n:Node {node_id: row.parent})
  USING INDEX SEEK n:Node(node_id)
  CALL (n, row) {
    WITH n, row WHERE row.outgoing
    MATCH (n)-[r]->(:Node)
    WHERE (size(row.relations) = 0 OR r.relation IN row.relations) AND r.edge_id > row.after
    RETURN r
    UNION
    WITH n, row WHERE row.incoming
    MATCH (n)<-[r]-(:Node)
    WHERE (size(row.relations) = 0 OR r.relation IN row.relations) AND r.edge_id > row.after
    RETURN r
  }
  WITH row, r ORDER BY r.edge_id LIMIT $limit
  WITH row, collect(r)[..row.limit] AS found
  UNWIND found AS r
  RETURN r, r.edge_id AS edge_id
}
CALL (edge_id) {
  OPTIONAL MATCH (m:Mention {edge_id: edge_id})<-[:HAS_MENTION]-(s:Segment)<-[:HAS_SEGMENT]-(d:Document)
  USING INDEX SEEK m:Mention(edge_id)
  RETURN count(m) AS mentions, min([NOT m.verified, d.source_doc_id, coalesce(m.line_start, 0), s.ordinal,
    coalesce(m.char_start, 0), m.mention_id, d.path, m.line_start, m.evidence_span]) AS first
}
WITH row.position AS position, edge_id, r, startNode(r) AS s, endNode(r) AS t, mentions, first
ORDER BY position, edge_id
WITH collect({position: position, edge_id: edge_id, source: s.node_id, target: t.node_id, relation: r.relation,
    provenance: r.provenance, confidence: r.confidence, mentions: mentions, path: first[6], line: first[7],
    evidence_span: CASE WHEN NOT first[0] THEN first[8] END}) AS edges,
  collect(DISTINCT s) AS sources, collect(DISTINCT t) AS targets
RETURN edges, [n IN sources + [t IN targets WHERE NOT t IN sources] |
    n {.node_id, .name, .kind, .description, .aliases, .path, .line_start, .line_end, .signature}] AS nodes
