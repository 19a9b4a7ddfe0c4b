// Forget that nodes were ever merged.
// params: node_ids
// returns: none
// mode: write
// uses: origin_id
UNWIND $node_ids AS node_id
MATCH (o:Origin {node_id: node_id})
DETACH DELETE o
