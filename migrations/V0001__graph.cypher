// The keys that MERGE relies on, the look-ups that reads rely on, and the full-text index of nodes.
CREATE CONSTRAINT node_id IF NOT EXISTS FOR (n:Node) REQUIRE n.node_id IS UNIQUE;
CREATE CONSTRAINT source_doc_id IF NOT EXISTS FOR (d:Document) REQUIRE d.source_doc_id IS UNIQUE;
CREATE CONSTRAINT segment_id IF NOT EXISTS FOR (s:Segment) REQUIRE s.segment_id IS UNIQUE;
CREATE CONSTRAINT mention_id IF NOT EXISTS FOR (m:Mention) REQUIRE m.mention_id IS UNIQUE;
CREATE CONSTRAINT folder_id IF NOT EXISTS FOR (f:Folder) REQUIRE f.folder_id IS UNIQUE;
CREATE INDEX node_name_key IF NOT EXISTS FOR (n:Node) ON (n.name_key);
CREATE INDEX document_folder IF NOT EXISTS FOR (d:Document) ON (d.folder_id);
CREATE INDEX mention_edge IF NOT EXISTS FOR (m:Mention) ON (m.edge_id);
CREATE FULLTEXT INDEX node_text IF NOT EXISTS FOR (n:Node) ON EACH [n.name_terms, n.text_terms]
OPTIONS {indexConfig: {`fulltext.analyzer`: 'whitespace', `fulltext.eventually_consistent`: false}};
