// Forget a job whose list is empty.
// params: job_id
// returns: none
// mode: write
// uses: job_id
MATCH (j:Job {job_id: $job_id})
DETACH DELETE j
