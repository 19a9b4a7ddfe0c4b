// Tie mentions to the merged nodes that they speak of under their own ids.
// params: rows
// returns: none
// mode: write
// uses: mention_id, origin_id
UNWIND $rows AS row
MATCH (m:Mention {mention_id: row.mention_id})
MATCH (o:Origin {node_id: row.node_id})
MERGE (m)-[:ORIGIN]->(o)
