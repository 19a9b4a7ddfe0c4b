// What a write has to know first: the number of the last change to merges, how many are active, and whether any
// document of a caller's statements is there.
// params: folder_id
// returns: epoch, active, asserted
// mode: read
// uses: merge_state, document_folder
OPTIONAL MATCH (s:MergeState {name: 'merges'})
RETURN coalesce(s.epoch, 0) AS epoch, coalesce(s.active, 0) AS active,
  EXISTS { MATCH (:Document {folder_id: $folder_id}) } AS asserted
