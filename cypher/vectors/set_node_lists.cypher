// Write the vectors of nodes for servers that know lists alone, each with the hash of what it was made of.
// params: rows
// returns: none
// mode: write
// uses: node_id
UNWIND $rows AS row
MATCH (n:Node {node_id: row.id})
SET n.embedding = row.vector, n.embedding_of = row.embedding_of
