// Add files to the list of a job.
// params: job_id, rows
// returns: none
// mode: write
// uses: job_id
MATCH (j:Job {job_id: $job_id})
UNWIND $rows AS row
CREATE (j)-[:HAS_FILE]->(f:JobFile)
SET f = row, f.job_id = $job_id
