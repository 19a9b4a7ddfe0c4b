// Nodes one edge away from others, each once, by id, for each row. The node itself only where an edge joins it to
// itself.
// params: rows, limit
// returns: places, nodes
// mode: read
// uses: node_id
UNWIND $rows AS row
CALL (row) {
  MATCH (n:Node {node_id: row.parent})
  USING INDEX SEEK n:Node(node_id)
  CALL (n, row) {
    WITH n, row WHERE row.outgoing
    MATCH (n)-[r]->(t:Node)
    WHERE size(row.relations) = 0 OR r.relation IN row.relations
    RETURN t
    UNION
    WITH n, row WHERE row.incoming
    MATCH (n)<-[r]-(t:Node)
    WHERE size(row.relations) = 0 OR r.relation IN row.relations
    RETURN t
  }
  WITH row, t ORDER BY t.node_id LIMIT $limit
  WITH row, collect(t)[..row.limit] AS found
  UNWIND found AS t
  RETURN t
}
WITH row.position AS position, t ORDER BY position, t.node_id
WITH collect({position: position, node_id: t.node_id}) AS places, collect(DISTINCT t) AS nodes
RETURN places, [n IN nodes |
    n {.node_id, .name, .kind, .description, .aliases, .path, .line_start, .line_end, .signature}] AS nodes
