// Remember a merge.
// params: merge_id, into, merged
// returns: merge_id, into, merged, at_ms, undone
// mode: write
// uses: merge_id
CREATE (m:Merge {merge_id: $merge_id, into: $into, merged: $merged, at: datetime(), undone: false})
RETURN m.merge_id AS merge_id, m.into AS into, m.merged AS merged, m.at.epochMillis AS at_ms, m.undone AS undone
