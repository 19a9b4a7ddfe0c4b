// Nodes by the words of their names and descriptions, best first.
// params: query, words, limit
// returns: node_id, name, kind, description, aliases, path, line_start, line_end, signature, score, matched
// mode: read
// uses: node_text
CALL db.index.fulltext.queryNodes('node_text', $query, {limit: $limit}) YIELD node AS n, score
RETURN n.node_id AS node_id, n.name AS name, n.kind AS kind, n.description AS description, n.aliases AS aliases,
  n.path AS path, n.line_start AS line_start, n.line_end AS line_end, n.signature AS signature, score,
  [word IN $words WHERE (' ' + n.name_terms + ' ' + n.text_terms + ' ') CONTAINS (' ' + word + ' ')] AS matched
ORDER BY score DESC, node_id
