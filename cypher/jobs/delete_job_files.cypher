// Empty the list of a job, at most so many files at a time.
// params: job_id, limit
// returns: count
// mode: write
// uses: job_file
MATCH (f:JobFile {job_id: $job_id})
WITH f LIMIT $limit
DETACH DELETE f
RETURN count(*) AS count
