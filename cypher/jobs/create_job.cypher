// A new job that waits for its turn.
// params: job_id, kind, lane, params
// returns: none
// mode: write
// uses: job_id
CREATE (j:Job {job_id: $job_id})
SET j.kind = $kind, j.lane = $lane, j.params = $params, j.status = 'QUEUED', j.files_total = 0, j.files_done = 0,
  j.files_skipped = 0, j.files_failed = 0, j.run = 0, j.crashes = 0, j.cancel_requested = false,
  j.created_at = datetime()
