// What listing, filtering and searching of segments rely on.
CREATE INDEX node_name IF NOT EXISTS FOR (n:Node) ON (n.name);
CREATE INDEX node_path IF NOT EXISTS FOR (n:Node) ON (n.path);
CREATE INDEX node_kind IF NOT EXISTS FOR (n:Node) ON (n.kind, n.node_id);
CREATE INDEX document_ingested IF NOT EXISTS FOR (d:Document) ON (d.ingested_at);
CREATE FULLTEXT INDEX segment_text IF NOT EXISTS FOR (s:Segment) ON EACH [s.text_terms]
OPTIONS {indexConfig: {`fulltext.analyzer`: 'whitespace', `fulltext.eventually_consistent`: false}};
