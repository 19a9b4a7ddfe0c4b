// The migrations that were applied to this database.
// params: none
// returns: version, name, checksum
// mode: read
// uses: migration_version
MATCH (m:Migration)
RETURN m.version AS version, m.name AS name, m.checksum AS checksum ORDER BY version
