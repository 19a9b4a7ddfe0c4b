// Jobs by id and state, and their files in order.
CREATE CONSTRAINT job_id IF NOT EXISTS FOR (j:Job) REQUIRE j.job_id IS UNIQUE;
CREATE INDEX job_status IF NOT EXISTS FOR (j:Job) ON (j.status);
CREATE INDEX job_file IF NOT EXISTS FOR (f:JobFile) ON (f.job_id, f.ordinal);
