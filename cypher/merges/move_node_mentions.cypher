// Let mentions of nodes count for others.
// params: rows
// returns: none
// mode: write
// uses: mention_id, node_id
UNWIND $rows AS row
MATCH (m:Mention {mention_id: row.mention_id})-[of:OF]->(:Node)
MATCH (n:Node {node_id: row.node_id})
DELETE of
CREATE (m)-[:OF]->(n)
SET m.node_id = row.node_id
