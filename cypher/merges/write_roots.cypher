// Write the nodes that groups of merged nodes are shown as.
// params: rows, kind_labels
// returns: none
// mode: write
// uses: node_id
UNWIND $rows AS row
MERGE (n:Node {node_id: row.node_id})
WITH n, row, n.kind AS old_kind
SET n = row.properties, n:$(row.label)
FOREACH (_ IN CASE WHEN old_kind <> row.properties.kind THEN [1] ELSE [] END |
  REMOVE n:$($kind_labels[old_kind]))
