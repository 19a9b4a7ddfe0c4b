// What a write has to know first: the number of the last change to merges, how many are active, and whether there are
// nodes of which several documents say what they are like: callers' statements, or texts that name things.
// params: folder_id
// returns: epoch, active, stated
// mode: read
// uses: merge_state, document_folder, document_states
OPTIONAL MATCH (s:MergeState {name: 'merges'})
RETURN coalesce(s.epoch, 0) AS epoch, coalesce(s.active, 0) AS active,
  EXISTS { MATCH (:Document {folder_id: $folder_id}) } OR EXISTS { MATCH (:Document {states: true}) } AS stated
