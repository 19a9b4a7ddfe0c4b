// A folder that has moved: its record goes, its documents stay what they are under the folder's new id.
// params: old_id, new_id
// returns: none
// mode: write
// uses: folder_id, document_folder
MATCH (f:Folder {folder_id: $old_id})
DETACH DELETE f
WITH count(*) AS folders
MATCH (d:Document {folder_id: $old_id})
SET d.folder_id = $new_id
