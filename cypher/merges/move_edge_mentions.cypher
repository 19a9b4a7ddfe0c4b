// Let mentions of edges count for others.
// params: rows
// returns: none
// mode: write
// uses: mention_id
UNWIND $rows AS row
MATCH (m:Mention {mention_id: row.mention_id})
SET m.edge_id = row.edge_id, m.source = row.source, m.target = row.target
