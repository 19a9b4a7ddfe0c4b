// A job by its id.
// params: job_id
// returns: job_id, kind, status, params, files_total, files_done, files_skipped, files_failed, created_ms, started_ms, finished_ms, owner, error, cancel_requested, eta_s, run
// mode: read
// uses: job_id
MATCH (j:Job {job_id: $job_id})
RETURN j.job_id AS job_id, j.kind AS kind, j.status AS status, j.params AS params, j.files_total AS files_total,
  j.files_done AS files_done, j.files_skipped AS files_skipped, j.files_failed AS files_failed,
  j.created_at.epochMillis AS created_ms, j.started_at.epochMillis AS started_ms,
  j.finished_at.epochMillis AS finished_ms, j.owner AS owner, j.error AS error,
  j.cancel_requested AS cancel_requested, j.eta_s AS eta_s, j.run AS run
