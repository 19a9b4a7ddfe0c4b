// Hold off every other runner until this transaction ends.
// params: none
// returns: none
// mode: write
// uses: migration_lock
MERGE (l:MigrationLock {name: 'migrations'})
SET l.taken_at = datetime()
