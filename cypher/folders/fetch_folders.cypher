// All folders that were indexed into this tenant.
// params: none
// returns: folder_id, path, prefix, snapshot, summary, made_by
// mode: read
// uses: folder_id
MATCH (f:Folder)
RETURN f.folder_id AS folder_id, f.path AS path, f.prefix AS prefix, f.snapshot AS snapshot, f.summary AS summary,
  coalesce(f.made_by, []) AS made_by
ORDER BY folder_id
