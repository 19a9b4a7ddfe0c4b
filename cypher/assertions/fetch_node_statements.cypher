// What callers and texts state of nodes that no other source declares, in one row; texts that say the same are one item.
// params: node_ids
// returns: nodes
// mode: read
// uses: node_id
UNWIND $node_ids AS node_id
MATCH (n:Node {node_id: node_id})
WHERE EXISTS { (n)<-[:OF]-(stated:Mention) WHERE stated.kind IS NOT NULL }
  AND NOT EXISTS { (n)<-[:OF]-(declared:Mention) WHERE declared.kind IS NULL }
CALL (n) {
  MATCH (n)<-[:OF]-(m:Mention) WHERE m.weight IS NOT NULL
  WITH m.name AS name, m.stated_kind AS kind, m.aliases AS aliases, sum(m.weight) AS weight
  RETURN collect({name: name, kind: kind, aliases: aliases, weight: weight}) AS texts
}
CALL (n) {
  MATCH (n)<-[:OF]-(m:Mention)<-[:HAS_MENTION]-(:Segment)<-[:HAS_SEGMENT]-(d:Document) WHERE m.explicit IS NOT NULL
  RETURN collect(m {.explicit, .name, .kind, .description, .aliases, document_id: d.source_doc_id}) AS callers
}
RETURN collect({node_id: node_id, texts: texts, callers: callers}) AS nodes
