"""Work that takes too long ends here and in Neo4j, and so does work that nobody waits for any more."""

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable
from contextlib import aclosing, contextmanager
from dataclasses import dataclass

import pytest

from graph.backends.base import Endpoint
from graph.database import Database, Transaction, connect, deadline, without_deadline
from graph.errors import DatabaseFailed, NotAvailable, TimedOut
from graph.statements import Header, Nothing, Statement
from tests.raw import Cypher


@dataclass(frozen=True)
class Count:
    n: int


def statement(text: str, *, mode: str = "read", returns: tuple[str, ...] = ("n",), row: type = Count) -> Statement:
    return Statement("tests/made_up", text, Header("made up", (), returns, mode, ()), row)


QUICK = statement("RETURN 1 AS n")
SLOW = statement(
    "UNWIND range(1, 100000) AS a UNWIND range(1, 100000) AS b WITH a, b WHERE a * b % 7 = 8 RETURN count(*) AS n"
)
SLOW_WRITE = statement(
    "UNWIND range(1, 100000) AS a UNWIND range(1, 100000) AS b WITH a, b WHERE a * b % 7 = 8 "
    "CREATE (:Folder {folder_id: toString(a)})",
    mode="write",
    returns=(),
    row=Nothing,
)
ENDLESS = statement("UNWIND range(1, 1000000000) AS n RETURN n")
FAULTY = statement("RETURN 1 / 0 AS n")


async def running(cypher: Cypher) -> int:
    """How many of our statements Neo4j is at work on."""
    rows = await cypher(
        "SHOW TRANSACTIONS YIELD currentQuery, status WHERE currentQuery CONTAINS 'range(1, 1000' "
        "AND NOT currentQuery CONTAINS 'SHOW TRANSACTIONS' RETURN count(*) AS n"
    )
    return rows[0]["n"]


async def until_running(cypher: Cypher, wanted: int, *, within_s: float = 10.0) -> None:
    give_up = time.monotonic() + within_s
    while await running(cypher) != wanted:
        assert time.monotonic() < give_up, f"waited in vain for {wanted} running"
        await asyncio.sleep(0.05)


@pytest.fixture(autouse=True)
async def nothing_is_left(database: Database, cypher: Cypher) -> AsyncIterator[None]:
    yield
    await until_running(cypher, 0)


async def write(database: Database) -> None:
    async def work(transaction: Transaction) -> None:
        await transaction.run(SLOW_WRITE)

    await database.write(work)


async def read_all(database: Database) -> None:
    async for _ in database.stream(ENDLESS):
        pass


WAYS = {
    "fetch": lambda database: database.fetch(SLOW),
    "find": lambda database: database.find(SLOW),
    "write": write,
    "stream": read_all,
}


@pytest.mark.parametrize("way", WAYS)
async def test_at_the_deadline_a_statement_ends_here_and_in_neo4j(database: Database, cypher: Cypher, way: str) -> None:
    started = time.monotonic()
    with pytest.raises(TimedOut):
        async with deadline(0.5):
            await WAYS[way](database)

    assert time.monotonic() - started < 5.0
    await until_running(cypher, 0, within_s=5.0)
    assert await database.fetch(QUICK) == [Count(1)]


@pytest.mark.parametrize("way", WAYS)
async def test_a_cancelled_statement_ends_in_neo4j(database: Database, cypher: Cypher, way: str) -> None:
    task = asyncio.ensure_future(WAYS[way](database))
    await until_running(cypher, 1)

    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task

    await until_running(cypher, 0, within_s=5.0)
    assert await database.fetch(QUICK) == [Count(1)]


async def test_a_stream_that_is_left_ends_in_neo4j(database: Database, cypher: Cypher) -> None:
    async with aclosing(database.stream(ENDLESS)) as rows:
        async for row in rows:
            assert row == Count(1)
            break

    await until_running(cypher, 0, within_s=5.0)


async def test_the_server_gives_up_even_when_nobody_tells_it(database: Database, cypher: Cypher) -> None:
    """A loader's task is not cancelled with the request that needs it: its own time-out must end the statement."""
    async with deadline(1.0):
        loader = asyncio.create_task(asyncio.wait_for(database.fetch(SLOW), 60))

    with pytest.raises(TimedOut):
        await loader
    assert await running(cypher) == 0


async def test_a_statements_own_limit_counts_when_it_is_shorter(database: Database) -> None:
    started = time.monotonic()
    async with deadline(60):
        with pytest.raises(TimedOut):
            await database.fetch(SLOW, timeout_s=0.3)
    assert time.monotonic() - started < 10


async def test_of_nested_deadlines_the_earliest_counts(database: Database) -> None:
    started = time.monotonic()
    with pytest.raises(TimedOut):
        async with deadline(0.3), deadline(60):
            await database.fetch(SLOW)
    async with deadline(60):
        with pytest.raises(TimedOut):
            async with deadline(0.3):
                await database.fetch(SLOW)
        assert await database.fetch(QUICK) == [Count(1)]
    assert time.monotonic() - started < 10


async def test_after_the_deadline_no_statement_is_sent(database: Database) -> None:
    async def late() -> None:
        await asyncio.sleep(0.2)
        await database.fetch(QUICK)

    async with deadline(0.1):
        task = asyncio.create_task(late())
    with pytest.raises(TimedOut):
        await task


async def test_work_that_outlives_its_request_is_not_bound(database: Database) -> None:
    async def later() -> list[Count]:
        with without_deadline():
            await asyncio.sleep(0.2)
            return await database.fetch(QUICK)

    async with deadline(0.1):
        task = asyncio.create_task(later())
    assert await task == [Count(1)]


async def test_other_errors_and_time_outs_of_others_pass(database: Database) -> None:
    with pytest.raises(DatabaseFailed):
        async with deadline(60):
            await database.fetch(FAULTY)
    with pytest.raises(TimeoutError):
        async with deadline(60), asyncio.timeout(0.05):
            await asyncio.sleep(60)


async def test_an_observer_sees_each_statement_and_how_it_ends(endpoint: Endpoint, database: Database) -> None:
    seen: list[str] = []

    @contextmanager
    def observe(name: str):
        seen.append(name)
        try:
            yield
        except Exception as exc:
            seen.append(type(exc).__name__)
            raise

    async def work(transaction: Transaction) -> list[Count]:
        return await transaction.run(QUICK)

    async with connect(endpoint, observer=observe) as observed:
        ways: list[Awaitable[object]] = [observed.fetch(QUICK), observed.find(QUICK), observed.write(work)]
        for way in ways:
            await way
        assert [row async for row in observed.stream(QUICK)] == [Count(1)]
        with pytest.raises(DatabaseFailed):
            await observed.fetch(FAULTY)

    assert seen[:4] == ["tests/made_up"] * 4
    assert seen[4] == "tests/made_up"
    assert len(seen) == 6


async def test_idle_time_and_a_closed_connection(endpoint: Endpoint) -> None:
    async with connect(endpoint) as database:
        task = asyncio.create_task(database.fetch(SLOW, timeout_s=0.5))
        await asyncio.sleep(0.2)
        assert database.idle_s == 0.0
        with pytest.raises(TimedOut):
            await task
        await asyncio.sleep(0.05)
        assert 0.0 < database.idle_s < 5.0

    with pytest.raises(NotAvailable, match="closed"):
        await database.fetch(QUICK)
