// Every folder, by id.
// params: none
// returns: parent, target, labels, properties
// mode: read
// uses: folder_id
MATCH (f:Folder) WHERE f.folder_id >= ''
RETURN null AS parent, null AS target, labels(f) AS labels, properties(f) AS properties
ORDER BY f.folder_id
