// Put a running job back to wait: its runner stops, or has died, which counts as a crash. One that has crashed too
// often fails, and one that was to be cancelled is.
// params: job_id, owner, crashed, max_crashes, error
// returns: status
// mode: write
// uses: job_id
MATCH (j:Job {job_id: $job_id}) WHERE j.status = 'RUNNING' AND j.owner = $owner
WITH j, j.crashes + CASE WHEN $crashed THEN 1 ELSE 0 END AS crashes
WITH j, crashes, CASE WHEN j.cancel_requested THEN 'CANCELLED' WHEN crashes >= $max_crashes THEN 'FAILED'
  ELSE 'QUEUED' END AS status
SET j.status = status, j.crashes = crashes, j.owner = null, j.eta_s = null,
  j.error = CASE WHEN status = 'FAILED' THEN $error END,
  j.finished_at = CASE WHEN status <> 'QUEUED' THEN datetime() END
RETURN status
