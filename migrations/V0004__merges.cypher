// Merges: the record of each, what is kept of the nodes that they concern, and the one place where merges queue.
CREATE CONSTRAINT merge_id IF NOT EXISTS FOR (m:Merge) REQUIRE m.merge_id IS UNIQUE;
CREATE CONSTRAINT merge_state IF NOT EXISTS FOR (s:MergeState) REQUIRE s.name IS UNIQUE;
CREATE CONSTRAINT origin_id IF NOT EXISTS FOR (o:Origin) REQUIRE o.node_id IS UNIQUE;
CREATE INDEX origin_root IF NOT EXISTS FOR (o:Origin) ON (o.root);
CREATE INDEX origin_name_key IF NOT EXISTS FOR (o:Origin) ON (o.name_key);
