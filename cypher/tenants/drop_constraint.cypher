// Drop a constraint.
// params: name
// returns: none
// mode: write
// uses: none
DROP CONSTRAINT $name IF EXISTS
