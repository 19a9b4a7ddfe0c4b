// Drop an index.
// params: name
// returns: none
// mode: write
// uses: none
DROP INDEX $name IF EXISTS
