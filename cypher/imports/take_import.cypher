// Go on with an import that was broken off, whoever else may be at it: with the same contents at its position, with
// others from -1, where what it has written is to be removed. The lock is taken before the look.
// params: file, digest, run
// returns: file, sha256, run, position
// mode: write
// uses: none
MATCH (i:Import)
SET i.locked = true
WITH i, CASE WHEN i.sha256 = $digest THEN i.position ELSE -1 END AS position
SET i.file = $file, i.sha256 = $digest, i.run = $run, i.position = position
RETURN i.file AS file, i.sha256 AS sha256, i.run AS run, position
