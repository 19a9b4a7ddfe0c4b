// Write nodes that documents declare: the declaration decides all properties and the label of the kind.
// params: rows, kind_labels
// returns: none
// mode: write
// uses: node_id
UNWIND $rows AS row
MERGE (n:Node {node_id: row.node_id})
WITH n, row, coalesce(n.kind, row.properties.kind) AS old_kind
SET n += row.properties, n:$(row.label)
WITH n, row, old_kind WHERE old_kind <> row.properties.kind
REMOVE n:$($kind_labels[old_kind])
