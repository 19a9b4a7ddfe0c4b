// Cancel a job: one that waits at once, a running one as soon as its runner looks. An ended one stays as it is.
// params: job_id
// returns: status
// mode: write
// uses: job_id
MATCH (j:Job {job_id: $job_id})
WITH j, CASE WHEN j.status = 'QUEUED' THEN 'CANCELLED' ELSE j.status END AS status, j.status AS before
SET j.status = status, j.cancel_requested = j.cancel_requested OR before IN ['QUEUED', 'RUNNING'],
  j.finished_at = CASE WHEN before = 'QUEUED' THEN datetime() ELSE j.finished_at END
RETURN status
