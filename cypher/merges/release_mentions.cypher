// Mentions that speak of no merged node any longer need no memory of it.
// params: mention_ids
// returns: none
// mode: write
// uses: mention_id
UNWIND $mention_ids AS mention_id
MATCH (m:Mention {mention_id: mention_id}) WHERE NOT EXISTS { (m)-[:ORIGIN]->(:Origin) }
REMOVE m.origin_node, m.origin_edge, m.origin_source, m.origin_target
