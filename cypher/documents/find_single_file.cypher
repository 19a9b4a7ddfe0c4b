// One document of a folder with its path and what it was made from, and how many segments it has.
// params: document_id, folder_id
// returns: document_id, path, content_hash, facts_hash, status, language, nodes, edges, mentions, segments
// mode: read
// uses: source_doc_id
MATCH (d:Document {source_doc_id: $document_id}) WHERE d.folder_id = $folder_id
RETURN d.source_doc_id AS document_id, d.path AS path, d.content_hash AS content_hash, d.facts_hash AS facts_hash,
  d.status AS status, d.language AS language, d.nodes AS nodes, d.edges AS edges, d.mentions AS mentions,
  COUNT { (d)-[:HAS_SEGMENT]->() } AS segments
