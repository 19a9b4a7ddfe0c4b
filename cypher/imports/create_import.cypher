// Begin an import: until it is finished the database is not to be used.
// params: file, digest, run
// returns: none
// mode: write
// uses: none
CREATE (:Import {file: $file, sha256: $digest, run: $run, position: 0})
