// Every mention with its document, segment and, if it is one of a node, that node, by id.
// params: none
// returns: parent, target, labels, properties, document
// mode: read
// uses: mention_id
MATCH (m:Mention) WHERE m.mention_id >= ''
MATCH (d:Document)-[:HAS_SEGMENT]->(s:Segment)-[:HAS_MENTION]->(m)
OPTIONAL MATCH (m)-[:OF]->(n:Node)
RETURN s.segment_id AS parent, n.node_id AS target, labels(m) AS labels, properties(m) AS properties,
  d.source_doc_id AS document
ORDER BY m.mention_id
