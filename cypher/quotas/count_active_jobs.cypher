// How many jobs wait or run.
// params: none
// returns: count
// mode: read
// uses: job_status
MATCH (j:Job) WHERE j.status IN ['QUEUED', 'RUNNING']
RETURN count(j) AS count
