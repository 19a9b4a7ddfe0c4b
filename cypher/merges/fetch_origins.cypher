// All nodes of groups of merged nodes, with what is known of each.
// params: roots
// returns: node_id, root, parent, merge_id, properties
// mode: read
// uses: origin_root
UNWIND $roots AS root
MATCH (o:Origin {root: root})
RETURN o.node_id AS node_id, o.root AS root, o.parent AS parent, o.merge_id AS merge_id, properties(o) AS properties
ORDER BY node_id
