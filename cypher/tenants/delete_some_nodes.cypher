// Remove some nodes, whichever come first, and what is left of their relationships; the records of tenants stay.
// params: limit
// returns: count
// mode: write
// uses: none
MATCH (n) WHERE NOT n:Tenant
WITH n LIMIT $limit
DETACH DELETE n
RETURN count(n) AS count
