// Remove a database with its data and wait until it is gone.
// params: name
// returns: none
// mode: write
// uses: none
DROP DATABASE $name IF EXISTS DESTROY DATA WAIT
