// Whether the vectors of nodes can be asked for neighbours.
// params: none
// returns: online
// mode: read
// uses: node_embedding
SHOW VECTOR INDEXES YIELD name, state WHERE name = 'node_embedding' AND state = 'ONLINE'
RETURN count(*) AS online
