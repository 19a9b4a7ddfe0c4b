// For each name: the things that texts call so, with where they link to by now, and the code symbols of that name. One
// row.
// params: name_keys, entity_kinds, code_kinds
// returns: names
// mode: read
// uses: node_name_key
UNWIND $name_keys AS name_key
MATCH (e:Node {name_key: name_key})
WHERE e.kind IN $entity_kinds AND EXISTS { (e)<-[:OF]-(m:Mention) WHERE m.weight IS NOT NULL }
WITH name_key, collect({
  node_id: e.node_id, names: [e.name] + e.aliases,
  links: [(e)-[r:REFERENCES]->(t:Node) WHERE t.kind IN $code_kinds | {edge_id: r.edge_id, target: t.node_id,
    derived: r.derived IS NOT NULL, confidence: r.confidence}]
}) AS entities
OPTIONAL MATCH (c:Node {name_key: name_key}) WHERE c.kind IN $code_kinds
WITH name_key, entities, collect(c {.node_id, .name}) AS symbols ORDER BY name_key
RETURN collect({entities: entities, symbols: symbols}) AS names
