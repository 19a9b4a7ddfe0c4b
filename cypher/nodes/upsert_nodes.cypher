// Write nodes that documents declare: the declaration decides all properties and the label of the kind. Returns
// those that were there before.
// params: rows, kind_labels
// returns: node_id
// mode: write
// uses: node_id
UNWIND $rows AS row
MERGE (n:Node {node_id: row.node_id})
WITH n, row, n.kind AS old_kind
SET n += row.properties, n:$(row.label)
FOREACH (_ IN CASE WHEN old_kind <> row.properties.kind THEN [1] ELSE [] END |
  REMOVE n:$($kind_labels[old_kind]))
WITH n, old_kind WHERE old_kind IS NOT NULL
RETURN n.node_id AS node_id
