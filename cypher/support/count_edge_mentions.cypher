// How many mentions edges have.
// params: rows
// returns: counts
// mode: read
// uses: mention_edge
UNWIND $rows AS row
RETURN collect({position: row.position, count: COUNT {
  MATCH (m:Mention {edge_id: row.parent})
  USING INDEX SEEK m:Mention(edge_id)
}}) AS counts
