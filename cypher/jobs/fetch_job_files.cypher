// Files of a job, in the order in which they ended, of one status or of all (null), those after an ordinal.
// params: job_id, status, after, limit
// returns: path, status, reason, ordinal
// mode: read
// uses: job_file
MATCH (f:JobFile {job_id: $job_id})
WHERE f.ordinal > $after AND ($status IS NULL OR f.status = $status)
RETURN f.path AS path, f.status AS status, f.reason AS reason, f.ordinal AS ordinal
ORDER BY ordinal LIMIT $limit
