// A merge by its id.
// params: merge_id
// returns: merge_id, into, merged, at_ms, undone
// mode: read
// uses: merge_id
MATCH (m:Merge {merge_id: $merge_id})
RETURN m.merge_id AS merge_id, m.into AS into, m.merged AS merged, m.at.epochMillis AS at_ms, m.undone AS undone
