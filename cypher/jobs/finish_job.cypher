// End a job. No row when the runner does not own it any longer.
// params: job_id, owner, status, error
// returns: job_id
// mode: write
// uses: job_id
MATCH (j:Job {job_id: $job_id}) WHERE j.status = 'RUNNING' AND j.owner = $owner
SET j.status = $status, j.error = $error, j.finished_at = datetime(), j.eta_s = null, j.owner = null
RETURN j.job_id AS job_id
