// Make a database on a server that knows no IF NOT EXISTS and no WAIT.
// params: name
// returns: none
// mode: write
// uses: none
CREATE DATABASE $name
