// After a retraction: remove edges without a mention, and let the remaining mentions decide the others' properties.
// The lock is taken before the look, so that a writer who is about to add support comes first or finds the edge gone.
// Returns how many were removed.
// params: rows, provenances
// returns: gone
// mode: write
// uses: node_id, mention_edge
UNWIND $rows AS row
MATCH (s:Node {node_id: row.source})-[r {edge_id: row.edge_id}]->(:Node {node_id: row.target})
SET r.edge_id = r.edge_id
WITH r, row
OPTIONAL MATCH (m:Mention {edge_id: row.edge_id})
WITH r, count(m) AS support, max(m.confidence) AS confidence, collect(DISTINCT m.provenance) AS stated
FOREACH (_ IN CASE WHEN support = 0 THEN [1] ELSE [] END | DELETE r)
FOREACH (_ IN CASE WHEN support = 0 THEN [] ELSE [1] END |
  SET r.confidence = confidence, r.provenance = head([p IN $provenances WHERE p IN stated]), r.derived = null)
RETURN sum(CASE WHEN support = 0 THEN 1 ELSE 0 END) AS gone
