// Write nodes that documents refer to but do not declare, where they are not there yet. Returns those that were.
// params: rows
// returns: node_id
// mode: write
// uses: node_id
UNWIND $rows AS row
MERGE (n:Node {node_id: row.node_id})
WITH n, row, n.kind IS NOT NULL AS existed
FOREACH (_ IN CASE WHEN existed THEN [] ELSE [1] END | SET n += row.properties, n:$(row.label))
WITH n, existed WHERE existed
RETURN n.node_id AS node_id
