// Functions, methods and classes that nothing calls, imports, refers to or inherits, that decorate nothing, and that
// are not exposed to the outside by a decorator, an entry point, __all__ or a dunder name. A method that some call on a
// receiver of unknown type names may be used and is left out.
// params: kinds, relations, limit
// returns: node_id, name, kind, description, aliases, path, line_start, line_end, signature
// mode: read
// uses: none
CALL { MATCH (u:Unresolved) RETURN collect(DISTINCT last(split(u.name, '.'))) AS maybe_called }
MATCH (n:Node)
WHERE n.kind IN $kinds AND size(n.exposed) = 0 AND n.path IS NOT NULL
  AND NOT (n.kind = 'method' AND n.name IN maybe_called)
  AND NOT EXISTS { MATCH (user:Node)-[r]->(n) WHERE r.relation IN $relations AND user <> n }
  AND NOT EXISTS { (n)-[:DECORATES]->(:Node) }
RETURN n.node_id AS node_id, n.name AS name, n.kind AS kind, n.description AS description, n.aliases AS aliases,
  n.path AS path, n.line_start AS line_start, n.line_end AS line_end, n.signature AS signature
ORDER BY path, line_start, node_id LIMIT $limit
