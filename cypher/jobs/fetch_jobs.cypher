// Jobs, newest first, of one status or of all (null), those after a place in that order (null: from the start).
// params: status, after_ms, after_id, limit
// returns: job_id, kind, status, params, files_total, files_done, files_skipped, files_failed, created_ms, started_ms, finished_ms, owner, error, cancel_requested, eta_s, run
// mode: read
// uses: none
MATCH (j:Job)
WHERE ($status IS NULL OR j.status = $status)
  AND ($after_id IS NULL OR j.created_at.epochMillis < $after_ms
    OR (j.created_at.epochMillis = $after_ms AND j.job_id > $after_id))
RETURN j.job_id AS job_id, j.kind AS kind, j.status AS status, j.params AS params, j.files_total AS files_total,
  j.files_done AS files_done, j.files_skipped AS files_skipped, j.files_failed AS files_failed,
  j.created_at.epochMillis AS created_ms, j.started_at.epochMillis AS started_ms,
  j.finished_at.epochMillis AS finished_ms, j.owner AS owner, j.error AS error,
  j.cancel_requested AS cancel_requested, j.eta_s AS eta_s, j.run AS run
ORDER BY created_ms DESC, job_id LIMIT $limit
