// Say anew what merged nodes are shown as, and which merge made it so.
// params: rows
// returns: none
// mode: write
// uses: origin_id
UNWIND $rows AS row
MATCH (o:Origin {node_id: row.node_id})
SET o.root = row.root, o.parent = row.parent, o.merge_id = row.merge_id
