// What a document of a caller states of nodes already.
// params: document_id, mention_ids
// returns: node_id, document_id, explicit, name, kind, description, aliases, weight
// mode: read
// uses: mention_id
UNWIND $mention_ids AS mention_id
MATCH (m:Mention {mention_id: mention_id})
RETURN coalesce(m.origin_node, m.node_id) AS node_id, $document_id AS document_id, m.explicit AS explicit,
  m.name AS name, m.kind AS kind, m.description AS description, m.aliases AS aliases, m.weight AS weight
ORDER BY node_id
