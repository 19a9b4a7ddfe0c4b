// How many nodes the texts of a folder name, each counted once.
// params: folder_id
// returns: nodes
// mode: read
// uses: document_folder
MATCH (d:Document {folder_id: $folder_id, states: true})-[:HAS_SEGMENT]->(:Segment)-[:HAS_MENTION]->(m:Mention)
WHERE m.weight IS NOT NULL
RETURN count(DISTINCT m.node_id) AS nodes
