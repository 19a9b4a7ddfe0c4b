// Remove a database on a server that knows no IF EXISTS, DESTROY DATA and WAIT.
// params: name
// returns: none
// mode: write
// uses: none
DROP DATABASE $name
