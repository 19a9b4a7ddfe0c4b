// What nodes after an id say of themselves, and the hash of what their vectors were made of.
// params: after, limit, chars
// returns: items
// mode: read
// uses: node_id
MATCH (n:Node) WHERE n.node_id > $after
WITH n ORDER BY n.node_id LIMIT $limit
RETURN collect({id: n.node_id, name: left(n.name, $chars), aliases: n.aliases, description: left(n.description, $chars),
  embedding_of: n.embedding_of}) AS items
