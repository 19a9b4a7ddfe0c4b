// How many texts of a folder were read otherwise than they would be now, by what they were read by.
// params: folder_id, facts_hash
// returns: facts_hash, documents
// mode: read
// uses: document_folder
MATCH (d:Document {folder_id: $folder_id})
WHERE d.facts_hash STARTS WITH 'text ' AND d.facts_hash <> $facts_hash
RETURN d.facts_hash AS facts_hash, count(d) AS documents
ORDER BY facts_hash
