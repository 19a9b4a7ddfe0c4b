// The ended jobs beyond the newest so many.
// params: keep, limit
// returns: job_id
// mode: read
// uses: none
MATCH (j:Job) WHERE j.finished_at IS NOT NULL AND NOT j.status IN ['QUEUED', 'RUNNING']
WITH j ORDER BY j.finished_at DESC, j.job_id SKIP $keep LIMIT $limit
RETURN j.job_id AS job_id
