// What is stored of a folder's documents, enough to tell what has changed.
// params: folder_id
// returns: document_id, content_hash, facts_hash, status, nodes, edges, mentions
// mode: read
// uses: document_folder
MATCH (d:Document {folder_id: $folder_id})
RETURN d.source_doc_id AS document_id, d.content_hash AS content_hash, d.facts_hash AS facts_hash, d.status AS status,
  d.nodes AS nodes, d.edges AS edges, d.mentions AS mentions
ORDER BY document_id
