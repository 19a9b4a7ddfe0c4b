// Take the write locks of all jobs that wait or run, in one order: of two runners one claims after the other.
// params: none
// returns: none
// mode: write
// uses: job_status
MATCH (j:Job) WHERE j.status IN ['QUEUED', 'RUNNING']
WITH j ORDER BY j.job_id
SET j.job_id = j.job_id
