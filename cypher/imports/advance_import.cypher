// Let an import be further, for the run that is at it. The lock is taken before the look. No row for any other run.
// params: run, position
// returns: before
// mode: write
// uses: none
MATCH (i:Import)
SET i.locked = true
WITH i, i.position AS before WHERE i.run = $run
SET i.position = $position
RETURN before
