// Note how far a running job is. No row when the runner does not own it any longer.
// params: job_id, owner, files_total, files_done, files_skipped, files_failed, eta_s
// returns: cancel_requested
// mode: write
// uses: job_id
MATCH (j:Job {job_id: $job_id}) WHERE j.status = 'RUNNING' AND j.owner = $owner
SET j.files_total = $files_total, j.files_done = $files_done, j.files_skipped = $files_skipped,
  j.files_failed = $files_failed, j.eta_s = $eta_s, j.heartbeat_at = datetime()
RETURN j.cancel_requested AS cancel_requested
