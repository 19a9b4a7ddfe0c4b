// Let one writer after the other be counted, and tell what the tenant may hold.
// params: none
// returns: documents, nodes, bytes, jobs
// mode: write
// uses: quota_name
MATCH (q:Quota {name: 'quota'})
SET q.name = q.name
RETURN q.documents AS documents, q.nodes AS nodes, q.bytes AS bytes, q.jobs AS jobs
