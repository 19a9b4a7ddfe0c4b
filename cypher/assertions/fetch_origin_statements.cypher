// What callers and texts state of merged nodes that no other source declares, in one row.
// params: node_ids
// returns: nodes
// mode: read
// uses: origin_id
UNWIND $node_ids AS node_id
MATCH (o:Origin {node_id: node_id})
WHERE EXISTS { (o)<-[:ORIGIN]-(stated:Mention {origin_node: node_id}) WHERE stated.kind IS NOT NULL }
  AND NOT EXISTS { (o)<-[:ORIGIN]-(declared:Mention {origin_node: node_id}) WHERE declared.kind IS NULL }
CALL (o, node_id) {
  MATCH (o)<-[:ORIGIN]-(m:Mention {origin_node: node_id}) WHERE m.weight IS NOT NULL
  WITH m.name AS name, m.stated_kind AS kind, m.aliases AS aliases, sum(m.weight) AS weight
  RETURN collect({name: name, kind: kind, aliases: aliases, weight: weight}) AS texts
}
CALL (o, node_id) {
  MATCH (o)<-[:ORIGIN]-(m:Mention {origin_node: node_id})<-[:HAS_MENTION]-(:Segment)<-[:HAS_SEGMENT]-(d:Document)
  WHERE m.explicit IS NOT NULL
  RETURN collect(m {.explicit, .name, .kind, .description, .aliases, document_id: d.source_doc_id}) AS callers
}
RETURN collect({node_id: node_id, texts: texts, callers: callers}) AS nodes
