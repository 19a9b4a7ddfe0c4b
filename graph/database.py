"""The seam to Neo4j's driver: typed statements in, typed rows out, the driver's exceptions mapped once.

Source: retryable errors are the driver's own (`is_retryable`); EntityNotFound under concurrent MERGE and DELETE
can be retried too, which the driver does not know.
"""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Generator, Mapping
from contextlib import asynccontextmanager, contextmanager
from typing import Final, LiteralString, TypeVar

from neo4j import AsyncDriver, AsyncGraphDatabase, AsyncManagedTransaction, AsyncSession, Query, unit_of_work
from neo4j.exceptions import (
    AuthError,
    ClientError,
    DriverError,
    Neo4jError,
    ServiceUnavailable,
    SessionExpired,
)

from graph.backends.base import Endpoint
from graph.errors import Busy, Conflict, DatabaseFailed, NotAvailable, TimedOut
from graph.statements import Row, Statement

_Result = TypeVar("_Result")
_ENTITY_NOT_FOUND: Final = "Neo.ClientError.Statement.EntityNotFound"
_TIMED_OUT: Final = "Neo.ClientError.Transaction.TransactionTimedOut"
_ATTEMPTS: Final = 8


class Transaction:
    """One write transaction. All that is run in it becomes visible together, or not at all."""

    def __init__(self, transaction: AsyncManagedTransaction) -> None:
        self._transaction = transaction

    async def run(self, statement: Statement[Row], **params: object) -> list[Row]:
        """Run a statement and return its rows."""
        result = await self._transaction.run(statement.text, params)
        if not statement.header.returns:
            await result.consume()
            return []
        return [statement.row(*record.values()) async for record in result]


class Database:
    """A tenant's database. Made by `connect`; safe to share between the tasks of one event loop."""

    def __init__(self, driver: AsyncDriver, endpoint: Endpoint) -> None:
        self._driver = driver
        self.endpoint = endpoint

    async def verify(self) -> None:
        """Raise NotAvailable unless the server answers and lets us in."""
        await self.run_schema("RETURN 1")

    async def fetch(self, statement: Statement[Row], *, timeout_s: float | None = None, **params: object) -> list[Row]:
        """Run a read statement, retried when that can help, and return its rows in the statement's order.

        Raises TimedOut when the server gave up after `timeout_s` seconds.
        """

        async def work(transaction: AsyncManagedTransaction) -> list[Row]:
            result = await transaction.run(statement.text, params)
            return [statement.row(*record.values()) async for record in result]

        async with self._session() as session:
            with _mapped_errors():
                return await session.execute_read(_with_timeout(work, timeout_s))

    async def find(self, statement: Statement[Row], **params: object) -> Row | None:
        """The first row of a read statement, or None."""
        rows = await self.fetch(statement, timeout_s=None, **params)
        return rows[0] if rows else None

    async def stream(self, statement: Statement[Row], **params: object) -> AsyncIterator[Row]:
        """The rows of a read statement one by one, in flat memory. Not retried once rows have come."""
        async with self._session() as session:
            with _mapped_errors():
                result = await session.run(statement.text, params)
                async for record in result:
                    yield statement.row(*record.values())

    async def write(self, work: Callable[[Transaction], Awaitable[_Result]]) -> _Result:
        """Run `work` in one transaction; it is called again when the transaction must be retried."""

        async def managed(transaction: AsyncManagedTransaction) -> _Result:
            return await work(Transaction(transaction))

        for attempt in range(_ATTEMPTS):
            try:
                async with self._session() as session:
                    with _mapped_errors():
                        return await session.execute_write(managed)
            except _VanishedEntity:
                await asyncio.sleep(0.02 * 2**attempt)
        raise Conflict("The graph kept changing under this write: try it again when less is written at once.")

    async def run_schema(self, text: LiteralString) -> None:
        """Run one statement without rows in a transaction of its own, as the server wants it for schema changes."""
        async with self._session() as session:
            with _mapped_errors():
                await (await session.run(text)).consume()

    async def plan(
        self, text: LiteralString, params: Mapping[str, object]
    ) -> tuple[list[str], str, list[tuple[str, str]]]:
        """What the server makes of a statement without running it: columns, query type, (GQL status, message) notes."""
        async with self._session(notifications_min_severity="INFORMATION") as session:
            with _mapped_errors():
                result = await session.run(Query("EXPLAIN " + text), dict(params))
                summary = await result.consume()
        notes = [(status.gql_status, status.status_description) for status in summary.gql_status_objects]
        return list(result.keys()), summary.query_type or "", notes

    def _session(self, **config: str) -> AsyncSession:
        return self._driver.session(database=self.endpoint.database, **config)  # pyright: ignore[reportUnknownMemberType]


@asynccontextmanager
async def connect(endpoint: Endpoint) -> AsyncGenerator[Database]:
    """Open a driver on the endpoint and close it at the end. Does not wait for the server: see `Database.verify`."""
    driver = AsyncGraphDatabase.driver(  # pyright: ignore[reportUnknownMemberType]
        endpoint.uri,
        auth=(endpoint.user, endpoint.password),
        user_agent="cogniverse-graph",
        notifications_min_severity="OFF",
        telemetry_disabled=True,
    )
    async with driver:
        yield Database(driver, endpoint)


class _VanishedEntity(Exception):
    """A node or relationship was deleted by another transaction in the middle of ours."""


def _with_timeout(
    work: Callable[..., Awaitable[_Result]], timeout_s: float | None
) -> Callable[..., Awaitable[_Result]]:
    return unit_of_work(timeout=timeout_s)(work)


@contextmanager
def _mapped_errors() -> Generator[None]:
    try:
        yield
    except AuthError as exc:
        raise NotAvailable(f"Neo4j refused the user or password: {exc.message}") from exc
    except ClientError as exc:
        if exc.code == _ENTITY_NOT_FOUND:
            raise _VanishedEntity from exc
        if exc.code and exc.code.startswith(_TIMED_OUT):
            raise TimedOut("The query took too long and was stopped: ask for less (depth, limit, relations).") from exc
        raise DatabaseFailed(f"Neo4j refused a statement ({exc.code}): {exc.message}") from exc
    except (ServiceUnavailable, SessionExpired) as exc:
        raise NotAvailable(f"Neo4j does not answer: {exc}. See `cogniverse db status`.") from exc
    except Neo4jError as exc:
        if exc.is_retryable():
            raise Busy(f"Neo4j is too busy ({exc.code}): try again in a while. {exc.message}") from exc
        raise DatabaseFailed(f"Neo4j gave up on a statement ({exc.code}): {exc.message}") from exc
    except DriverError as exc:
        raise DatabaseFailed(f"The Neo4j driver gave up: {exc}") from exc
