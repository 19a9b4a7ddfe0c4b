// Write the vectors of nodes, each with the hash of what it was made of; as Neo4j's own type when `native`, else as
// lists. Sent as vectors they take half of the time that lists take.
// params: rows, native
// returns: none
// mode: write
// uses: node_id
CYPHER 25
UNWIND $rows AS row
MATCH (n:Node {node_id: row.id})
SET n.embedding = CASE WHEN $native THEN row.vector ELSE toFloatList(row.vector) END,
  n.embedding_of = row.embedding_of
