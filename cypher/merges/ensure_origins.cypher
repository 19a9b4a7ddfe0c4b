// Write what documents that only refer to merged nodes know of them, where nothing is known yet.
// params: rows
// returns: none
// mode: write
// uses: origin_id
UNWIND $rows AS row
MATCH (o:Origin {node_id: row.node_id}) WHERE o.kind IS NULL
SET o += row.properties
