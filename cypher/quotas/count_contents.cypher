// How many documents and nodes there are, what the transaction has written included; both are kept by the store.
// params: none
// returns: documents, nodes
// mode: read
// uses: none
CALL { MATCH (d:Document) RETURN count(d) AS documents }
CALL { MATCH (n:Node) RETURN count(n) AS nodes }
RETURN documents, nodes
