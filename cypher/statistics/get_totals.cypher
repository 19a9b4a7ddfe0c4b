// How many documents, mentions and unresolved uses there are.
// params: none
// returns: documents, failed_documents, mentions
// mode: read
// uses: none
CALL { MATCH (d:Document) RETURN count(d) AS documents, count(CASE WHEN d.status = 'FAILED' THEN 1 END) AS failed }
CALL { MATCH (m:Mention) RETURN count(m) AS mentions }
RETURN documents, failed AS failed_documents, mentions
