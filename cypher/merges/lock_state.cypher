// Let one merge or undo after the other happen, and tell all writers that something is about to change.
// params: change
// returns: active
// mode: write
// uses: merge_state
MERGE (s:MergeState {name: 'merges'})
SET s.locked = true
WITH s
SET s.epoch = coalesce(s.epoch, 0) + 1, s.active = coalesce(s.active, 0) + $change
RETURN s.active AS active
