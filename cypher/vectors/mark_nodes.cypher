// Note that nodes say nothing that a vector could be made of.
// params: rows
// returns: none
// mode: write
// uses: node_id
UNWIND $rows AS row
MATCH (n:Node {node_id: row.id})
SET n.embedding_of = row.embedding_of
REMOVE n.embedding
