// Set what the tenant may hold; null is no limit.
// params: documents, nodes, bytes, jobs
// returns: none
// mode: write
// uses: quota_name
MERGE (q:Quota {name: 'quota'})
SET q.documents = $documents, q.nodes = $nodes, q.bytes = $bytes, q.jobs = $jobs
