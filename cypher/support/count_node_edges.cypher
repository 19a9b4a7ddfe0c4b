// How many edges nodes have, by direction and relations, all when empty. A self-loop counts once.
// params: rows
// returns: counts
// mode: read
// uses: node_id
UNWIND $rows AS row
MATCH (n:Node {node_id: row.parent})
USING INDEX SEEK n:Node(node_id)
RETURN collect({position: row.position, count: CASE
  WHEN size(row.relations) = 0 AND row.outgoing AND row.incoming THEN COUNT { (n)--() } - COUNT { (n)<-[:OF]-() }
  WHEN size(row.relations) = 0 AND row.outgoing THEN COUNT { (n)-->() }
  WHEN size(row.relations) = 0 THEN COUNT { (n)<--() } - COUNT { (n)<-[:OF]-() }
  WHEN row.outgoing AND row.incoming THEN COUNT { (n)-[r]-() WHERE r.relation IN row.relations }
  WHEN row.outgoing THEN COUNT { (n)-[r]->() WHERE r.relation IN row.relations }
  ELSE COUNT { (n)<-[r]-() WHERE r.relation IN row.relations }
END}) AS counts
