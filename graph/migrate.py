"""The schema of a tenant's database, brought up to date at first use.

`migrations/V0001__name.cypher` and so on are applied in order, each once, under a lock in the database itself.
A file that was applied and has changed since is refused by name: add a new one instead.
"""

import asyncio
import hashlib
import random
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, LiteralString

from graph.database import Database, Transaction
from graph.errors import Busy, MigrationFailed
from graph.imports.mark import check_finished
from graph.segments import index_segments
from graph.statements import MIGRATIONS_ROOT, Nothing, load_statement, split_script

_ATTEMPTS: Final = 6
_FILE_NAME: Final = re.compile(r"V(\d{4})__([a-z0-9_]+)\.cypher")


@dataclass(frozen=True, slots=True)
class Migration:
    """A migration file. `checksum` is the hex sha256 of its text."""

    version: int
    name: str
    checksum: str
    statements: tuple[LiteralString, ...]


@dataclass(frozen=True, slots=True)
class _Applied:
    version: int
    name: str
    checksum: str


_FETCH = load_statement("migrations/fetch_migrations", _Applied)
_CREATE = load_statement("migrations/create_migration", Nothing)
_LOCK = load_statement("migrations/lock_migrations", Nothing)

# What the runner itself stands on; safe to repeat and to race.
_BOOTSTRAP: Final[tuple[LiteralString, ...]] = (
    "CREATE CONSTRAINT migration_version IF NOT EXISTS FOR (m:Migration) REQUIRE m.version IS UNIQUE",
    "CREATE CONSTRAINT migration_lock IF NOT EXISTS FOR (l:MigrationLock) REQUIRE l.name IS UNIQUE",
)
_AWAIT_INDEXES: Final = "CALL db.awaitIndexes(300)"


def read_migrations(folder: Path = MIGRATIONS_ROOT) -> tuple[Migration, ...]:
    """The migrations of a folder, in order. Raises MigrationFailed for a bad name or a gap in the numbers."""
    found: list[Migration] = []
    for path in sorted(folder.glob("*.cypher")):
        match = _FILE_NAME.fullmatch(path.name)
        if match is None or int(match[1]) != len(found) + 1:
            raise MigrationFailed(f"{path.name}: expected V{len(found) + 1:04}__name.cypher")
        text = path.read_text(encoding="utf-8")
        checksum = hashlib.sha256(text.encode()).hexdigest()
        found.append(Migration(int(match[1]), path.name, checksum, split_script(text)))
    return tuple(found)


async def prepare_database(database: Database, *, importing: bool = False) -> None:
    """Bring the schema up to date, and what older versions have written with it.

    Raises as `apply_migrations`, and Conflict while an import is not finished, unless `importing`.
    """
    if await apply_migrations(database):
        await index_segments(database)
    if not importing:
        await check_finished(database)


async def check_migrations(database: Database) -> None:
    """Raise MigrationFailed as `apply_migrations` does, without applying any."""
    _missing(read_migrations(), await database.fetch(_FETCH))


async def apply_migrations(database: Database, migrations: Sequence[Migration] | None = None) -> int:
    """Apply what is missing and return how many that were; costs one read when nothing is.

    Raises MigrationFailed when an applied file has changed, or when the database was made by a newer program.
    """
    wanted = read_migrations() if migrations is None else tuple(migrations)
    for attempt in range(_ATTEMPTS):
        if not _missing(wanted, await database.fetch(_FETCH)):
            return 0
        try:
            return await _apply(database, wanted)
        except Busy:
            # Schema changes of two runners can deadlock; every step is safe to repeat.
            await asyncio.sleep(random.uniform(0.1, 0.3) * 2**attempt)  # noqa: S311 - no secret
    return await _apply(database, wanted)


async def _apply(database: Database, wanted: Sequence[Migration]) -> int:
    for statement in _BOOTSTRAP:
        await database.run_schema(statement)

    async def work(transaction: Transaction) -> int:
        await transaction.run(_LOCK)
        missing = _missing(wanted, await transaction.run(_FETCH))
        for migration in missing:
            # Schema statements can't share a transaction with data, so each is safe to repeat (IF NOT EXISTS) and
            # the record is made only after the last: a crash in between repeats the file.
            for statement in migration.statements:
                await database.run_schema(statement)
            await transaction.run(_CREATE, version=migration.version, name=migration.name, checksum=migration.checksum)
        return len(missing)

    applied = await database.write(work)
    await database.run_schema(_AWAIT_INDEXES)
    return applied


def _missing(wanted: Sequence[Migration], applied: Sequence[_Applied]) -> list[Migration]:
    known = {migration.version: migration for migration in wanted}
    for row in applied:
        migration = known.pop(row.version, None)
        if migration is None:
            raise MigrationFailed(
                f"This database has migration {row.name}, and this program knows those up to V{len(wanted):04} only: a"
                " newer version of cogniverse has used the database. Update the program; nothing was changed."
            )
        if migration.checksum != row.checksum:
            raise MigrationFailed(
                f"Migration {migration.name} has changed since it was applied to this database (sha256"
                f" {row.checksum[:12]}… then, {migration.checksum[:12]}… now). Restore the file and put the change"
                " into a new migration."
            )
    return sorted(known.values(), key=lambda migration: migration.version)
