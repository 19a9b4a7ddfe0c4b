// Finish an import, for the run that is at it: from now on the database can be used. Returns whether it was.
// params: run
// returns: finished
// mode: write
// uses: none
MATCH (i:Import)
SET i.locked = true
WITH i WHERE i.run = $run
DELETE i
RETURN count(*) AS finished
