// What the tenant may hold; no row where nobody has set a limit.
// params: none
// returns: documents, nodes, bytes, jobs
// mode: read
// uses: quota_name
MATCH (q:Quota {name: 'quota'})
RETURN q.documents AS documents, q.nodes AS nodes, q.bytes AS bytes, q.jobs AS jobs
