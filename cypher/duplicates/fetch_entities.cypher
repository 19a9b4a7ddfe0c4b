// The names of entities after an id, by id, in one row.
// params: kinds, after, aliases, limit
// returns: entities
// mode: read
// uses: node_kind
MATCH (n:Node) WHERE n.kind IN $kinds AND n.node_id > $after
WITH n ORDER BY n.node_id LIMIT $limit
RETURN collect([n.node_id, n.name, n.kind, n.aliases[..$aliases]]) AS entities
