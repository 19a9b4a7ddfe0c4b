// Write edges between nodes that are there. An edge that is stated twice keeps the stronger statement.
// params: rows, provenances
// returns: none
// mode: write
// uses: node_id
UNWIND $rows AS row
MATCH (s:Node {node_id: row.source})
MATCH (t:Node {node_id: row.target})
MERGE (s)-[r:$(row.type) {edge_id: row.edge_id}]->(t)
ON CREATE SET r.relation = row.relation, r.provenance = row.provenance, r.confidence = row.confidence
ON MATCH SET r.confidence = CASE WHEN r.confidence < row.confidence THEN row.confidence ELSE r.confidence END,
  r.provenance = head([p IN $provenances WHERE p = r.provenance OR p = row.provenance])
