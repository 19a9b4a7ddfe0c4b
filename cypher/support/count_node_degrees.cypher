// How many ends of edges nodes have, by direction: a self-loop has one of each.
// params: rows
// returns: counts
// mode: read
// uses: node_id
UNWIND $rows AS row
MATCH (n:Node {node_id: row.parent})
USING INDEX SEEK n:Node(node_id)
RETURN collect({position: row.position, count:
  CASE WHEN row.outgoing THEN COUNT { (n)-->() } ELSE 0 END
  + CASE WHEN row.incoming THEN COUNT { (n)<--() } - COUNT { (n)<-[:OF]-() } ELSE 0 END}) AS counts
