// Remember that a migration was applied.
// params: version, name, checksum
// returns: none
// mode: write
// uses: migration_version
CREATE (m:Migration {version: $version, name: $name, checksum: $checksum, applied_at: datetime()})
