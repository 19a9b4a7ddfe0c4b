// Tie mentions to the merged nodes that they speak of. Fewer are tied than given where one is not there.
// params: rows
// returns: written
// mode: write
// uses: mention_id, origin_id
UNWIND $rows AS row
MATCH (m:Mention {mention_id: row.parent})
MATCH (o:Origin {node_id: row.target})
CREATE (m)-[:ORIGIN]->(o)
RETURN count(*) AS written
