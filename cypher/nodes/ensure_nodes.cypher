// Write nodes that documents refer to but do not declare, where they are not there yet.
// params: rows
// returns: none
// mode: write
// uses: node_id
UNWIND $rows AS row
MERGE (n:Node {node_id: row.node_id})
ON CREATE SET n = row.properties, n:$(row.label)
