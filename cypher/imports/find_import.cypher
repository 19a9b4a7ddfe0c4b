// The import that is not finished yet, if there is one.
// params: none
// returns: file, sha256, run, position
// mode: read
// uses: none
MATCH (i:Import)
RETURN i.file AS file, i.sha256 AS sha256, i.run AS run, i.position AS position
ORDER BY file LIMIT 1
