// Forget what was known of merged nodes that no mention speaks of any longer. The merge itself stays.
// params: node_ids
// returns: none
// mode: write
// uses: origin_id
UNWIND $node_ids AS node_id
MATCH (o:Origin {node_id: node_id}) WHERE NOT EXISTS { (o)<-[:ORIGIN]-(:Mention) }
SET o = {node_id: o.node_id, root: o.root, parent: o.parent, merge_id: o.merge_id}
