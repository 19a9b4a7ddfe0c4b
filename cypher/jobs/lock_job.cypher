// Take the write lock of a job before its state is looked at, so that two writers follow one another.
// params: job_id
// returns: job_id
// mode: write
// uses: job_id
MATCH (j:Job {job_id: $job_id})
SET j.job_id = j.job_id
RETURN j.job_id AS job_id
