// How a database is, on each server that holds it; no rows when there is none.
// params: name
// returns: status, message
// mode: write
// uses: none
SHOW DATABASES YIELD name, currentStatus, statusMessage
WHERE name = $name
RETURN currentStatus AS status, statusMessage AS message
ORDER BY status, message
