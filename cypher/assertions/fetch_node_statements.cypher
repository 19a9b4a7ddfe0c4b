// What callers state of nodes that no other source declares.
// params: node_ids
// returns: node_id, document_id, explicit, name, kind, description, aliases
// mode: read
// uses: node_id
UNWIND $node_ids AS node_id
MATCH (n:Node {node_id: node_id})
WHERE EXISTS { (n)<-[:OF]-(stated:Mention) WHERE stated.kind IS NOT NULL }
  AND NOT EXISTS { (n)<-[:OF]-(declared:Mention) WHERE declared.kind IS NULL }
MATCH (n)<-[:OF]-(m:Mention)<-[:HAS_MENTION]-(:Segment)<-[:HAS_SEGMENT]-(d:Document)
RETURN node_id, d.source_doc_id AS document_id, m.explicit AS explicit, m.name AS name, m.kind AS kind,
  m.description AS description, m.aliases AS aliases
ORDER BY node_id, document_id
