// How many edges a filter lets through. They are looked for where `start` says: one of its lists has values.
// params: start, clauses, complement
// returns: count
// mode: read
// uses: node_id, source_doc_id, mention_edge
CALL () {
  UNWIND $start.sources AS node_id
  MATCH (n:Node {node_id: node_id})-[r]->(:Node)
  USING INDEX SEEK n:Node(node_id)
  RETURN r
  UNION ALL
  UNWIND $start.targets AS node_id
  MATCH (n:Node {node_id: node_id})<-[r]-(:Node)
  USING INDEX SEEK n:Node(node_id)
  RETURN r
  UNION ALL
  UNWIND $start.documents AS document_id
  MATCH (d:Document {source_doc_id: document_id})-[:HAS_SEGMENT]->(:Segment)-[:HAS_MENTION]->(m:Mention)
  USING INDEX SEEK d:Document(source_doc_id)
  WHERE m.edge_id IS NOT NULL
  WITH DISTINCT m.edge_id AS edge_id, m.source AS source, m.target AS target
  MATCH (s:Node {node_id: source})-[r {edge_id: edge_id}]->(t:Node {node_id: target})
  USING INDEX SEEK s:Node(node_id)
  USING INDEX SEEK t:Node(node_id)
  RETURN r
  UNION ALL
  UNWIND $start.everything AS _
  MATCH (:Node)-[r]->(:Node)
  RETURN r
}
WITH r, startNode(r) AS s, endNode(r) AS t
WHERE $complement <> all(clause IN $clauses WHERE any(test IN clause WHERE test.negated <> head([value IN [
  CASE test.field
    WHEN 'source' THEN s.node_id
    WHEN 'target' THEN t.node_id
    WHEN 'document' THEN CASE WHEN EXISTS {
      (:Mention {edge_id: r.edge_id})<-[:HAS_MENTION]-(:Segment)<-[:HAS_SEGMENT]-(:Document {source_doc_id: test.value})
    } THEN test.value END
    ELSE r[test.field]
  END
] | coalesce(CASE test.op
  WHEN 'eq' THEN value = test.value
  WHEN 'in' THEN value IN test.value
  WHEN 'contains' THEN value CONTAINS test.value
  WHEN 'starts_with' THEN value STARTS WITH test.value
  WHEN 'ends_with' THEN value ENDS WITH test.value
  WHEN 'gt' THEN value > test.value
  WHEN 'gte' THEN value >= test.value
  WHEN 'lt' THEN value < test.value
  WHEN 'lte' THEN value <= test.value
END, false)])))
RETURN count(*) AS count
