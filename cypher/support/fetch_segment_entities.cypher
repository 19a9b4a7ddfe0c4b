// Nodes that segments mention, each once, by their first place in the text, then by id, for each row.
// params: rows, limit
// returns: places, nodes
// mode: read
// uses: segment_id
UNWIND $rows AS row
CALL (row) {
  MATCH (s:Segment {segment_id: row.parent})-[:HAS_MENTION]->(m:Mention)-[:OF]->(n:Node)
  USING INDEX SEEK s:Segment(segment_id)
  WITH row, n, min(coalesce(m.char_start, 0)) AS place ORDER BY place, n.node_id LIMIT $limit
  WITH row, collect([n, place])[..row.limit] AS found
  UNWIND found AS item
  RETURN item[0] AS n, item[1] AS place
}
WITH row.position AS position, n, place ORDER BY position, place, n.node_id
WITH collect({position: position, node_id: n.node_id}) AS places, collect(DISTINCT n) AS nodes
RETURN places, [n IN nodes |
    n {.node_id, .name, .kind, .description, .aliases, .path, .line_start, .line_end, .signature}] AS nodes
