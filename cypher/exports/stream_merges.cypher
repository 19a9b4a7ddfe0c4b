// Every merge, by id.
// params: none
// returns: parent, target, labels, properties
// mode: read
// uses: merge_id
MATCH (m:Merge) WHERE m.merge_id >= ''
RETURN null AS parent, null AS target, labels(m) AS labels, properties(m) AS properties
ORDER BY m.merge_id
