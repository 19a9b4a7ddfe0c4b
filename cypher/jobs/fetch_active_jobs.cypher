// The jobs that wait or run, oldest first, with the seconds since their runner was last heard of.
// params: none
// returns: job_id, status, owner, silent_s
// mode: read
// uses: job_status
MATCH (j:Job) WHERE j.status IN ['QUEUED', 'RUNNING']
RETURN j.job_id AS job_id, j.status AS status, j.owner AS owner,
  (datetime().epochMillis - j.heartbeat_at.epochMillis) / 1000.0 AS silent_s
ORDER BY j.created_at, job_id
