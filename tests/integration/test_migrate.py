"""The migration runner on a real server."""

import asyncio
from dataclasses import replace

import pytest

from graph.database import Database
from graph.errors import MigrationFailed
from graph.migrate import apply_migrations, prepare_database, read_migrations
from graph.segments import search_segments
from graph.store import upsert_documents
from tests.builders import document
from tests.raw import Cypher


async def test_applying_twice_is_nothing(connected: Database, cypher: Cypher) -> None:
    assert await apply_migrations(connected) == 0
    rows = await cypher("MATCH (m:Migration) RETURN m.name AS name ORDER BY m.version")
    assert [row["name"] for row in rows] == [migration.name for migration in read_migrations()]


async def test_runners_at_once_apply_each_migration_once(connected: Database, cypher: Cypher) -> None:
    await make_new(cypher)

    applied = await asyncio.gather(*(apply_migrations(connected) for _ in range(5)))

    assert sum(applied) == len(read_migrations())
    [row] = await cypher("MATCH (m:Migration) RETURN count(*) AS n")
    assert row["n"] == len(read_migrations())


async def make_new(cypher: Cypher) -> None:
    """Leave nothing of the schema, as in a database that was just made."""
    await cypher("MATCH (m) WHERE m:Migration OR m:MigrationLock DELETE m")
    for row in await cypher("SHOW CONSTRAINTS YIELD name RETURN name"):
        await cypher(f"DROP CONSTRAINT {row['name']}")
    for row in await cypher("SHOW INDEXES YIELD name, type WHERE type <> 'LOOKUP' RETURN name"):
        await cypher(f"DROP INDEX {row['name']}")


async def test_a_changed_file_is_refused_by_name(connected: Database) -> None:
    first, *rest = read_migrations()

    with pytest.raises(MigrationFailed, match=r"V0001__graph\.cypher has changed"):
        await apply_migrations(connected, [replace(first, checksum="0" * 64), *rest])


async def test_a_database_ahead_of_the_program_is_refused(connected: Database) -> None:
    with pytest.raises(MigrationFailed, match="newer version"):
        await apply_migrations(connected, [])


async def test_a_new_file_is_applied_after_the_others(connected: Database, cypher: Cypher) -> None:
    known = read_migrations()
    added = replace(
        known[0],
        version=len(known) + 1,
        name="V0002__added.cypher",
        checksum="a" * 64,
        statements=("CREATE INDEX added_for_test IF NOT EXISTS FOR (n:Added) ON (n.x)",),
    )
    try:
        assert await apply_migrations(connected, [*known, added]) == 1
        rows = await cypher("SHOW INDEXES YIELD name WHERE name = 'added_for_test' RETURN name")
        assert rows == [{"name": "added_for_test"}]
    finally:
        await cypher("DROP INDEX added_for_test IF EXISTS")
        await cypher("MATCH (m:Migration {name: 'V0002__added.cypher'}) DELETE m")


async def test_segments_from_before_their_index_are_found_after_it(database: Database, cypher: Cypher) -> None:
    await upsert_documents(database, [document("old.txt", ("radium", "discovered_in", "paris"))])
    await cypher("MATCH (s:Segment) REMOVE s.text_terms")
    await cypher("MATCH (m:Migration {version: 2}) DELETE m")
    assert (await search_segments(database, "radium")).hits == ()

    await prepare_database(database)

    assert len((await search_segments(database, "radium")).hits) == 1
