// The state of merges, one node at most.
// params: none
// returns: parent, target, labels, properties
// mode: read
// uses: merge_state
MATCH (s:MergeState) WHERE s.name >= ''
RETURN null AS parent, null AS target, labels(s) AS labels, properties(s) AS properties
ORDER BY s.name
