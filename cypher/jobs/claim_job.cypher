// Give the oldest waiting job to a runner. Jobs of one lane (the same folder) run one after another.
// params: owner
// returns: job_id, kind, params, run
// mode: write
// uses: job_status
MATCH (j:Job {status: 'QUEUED'})
WHERE NOT EXISTS { MATCH (other:Job {status: 'RUNNING'}) WHERE other.lane = j.lane }
WITH j ORDER BY j.created_at, j.job_id LIMIT 1
SET j.status = 'RUNNING', j.owner = $owner, j.run = j.run + 1, j.started_at = coalesce(j.started_at, datetime()),
  j.heartbeat_at = datetime(), j.files_total = 0, j.files_done = 0, j.files_skipped = 0, j.files_failed = 0,
  j.eta_s = null
RETURN j.job_id AS job_id, j.kind AS kind, j.params AS params, j.run AS run
