// Those of the given edges that are there.
// params: rows
// returns: edge_id, source, target
// mode: read
// uses: node_id
UNWIND $rows AS row
MATCH (s:Node {node_id: row.source})-[r {edge_id: row.edge_id}]->(t:Node {node_id: row.target})
RETURN r.edge_id AS edge_id, s.node_id AS source, t.node_id AS target
