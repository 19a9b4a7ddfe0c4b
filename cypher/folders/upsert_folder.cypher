// Remember a folder: where it is, the hash of the inputs that its documents were last made from, their summary, by what.
// params: folder_id, path, prefix, snapshot, summary, made_by
// returns: none
// mode: write
// uses: folder_id
MERGE (f:Folder {folder_id: $folder_id})
SET f.path = $path, f.prefix = $prefix, f.snapshot = $snapshot, f.summary = $summary,
  f.made_by = $made_by
