// What callers and texts state of nodes that no other source declares.
// params: node_ids
// returns: node_id, document_id, explicit, name, kind, description, aliases, weight
// mode: read
// uses: node_id
UNWIND $node_ids AS node_id
MATCH (n:Node {node_id: node_id})
WHERE EXISTS { (n)<-[:OF]-(stated:Mention) WHERE stated.kind IS NOT NULL }
  AND NOT EXISTS { (n)<-[:OF]-(declared:Mention) WHERE declared.kind IS NULL }
MATCH (n)<-[:OF]-(m:Mention)<-[:HAS_MENTION]-(:Segment)<-[:HAS_SEGMENT]-(d:Document)
WHERE m.aliases IS NOT NULL
RETURN node_id, d.source_doc_id AS document_id, coalesce(m.explicit, true) AS explicit, m.name AS name,
  coalesce(m.stated_kind, m.kind) AS kind, coalesce(m.description, '') AS description, m.aliases AS aliases,
  m.weight AS weight
ORDER BY node_id, document_id
