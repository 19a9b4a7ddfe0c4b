// Write what documents declare of nodes that are merged.
// params: rows
// returns: none
// mode: write
// uses: origin_id
UNWIND $rows AS row
MATCH (o:Origin {node_id: row.node_id})
SET o += row.properties
