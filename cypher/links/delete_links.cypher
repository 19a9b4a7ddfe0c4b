// Remove links that no longer follow from names. One that a mention states as well stays.
// params: rows
// returns: none
// mode: write
// uses: node_id, mention_edge
UNWIND $rows AS row
MATCH (s:Node {node_id: row.source})-[r:REFERENCES {edge_id: row.edge_id}]->(:Node {node_id: row.target})
WHERE r.derived IS NOT NULL AND NOT EXISTS { MATCH (:Mention {edge_id: row.edge_id}) }
DELETE r
