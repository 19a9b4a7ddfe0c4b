// Make a database and wait until it can be used.
// params: name
// returns: none
// mode: write
// uses: none
CREATE DATABASE $name IF NOT EXISTS WAIT
