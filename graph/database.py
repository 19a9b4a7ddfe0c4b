"""The seam to Neo4j's driver: typed statements in, typed rows out, the driver's exceptions mapped once.

Source: retryable errors are the driver's own (`is_retryable`); EntityNotFound under concurrent MERGE and DELETE
can be retried too, which the driver does not know.
"""

import asyncio
import logging
import time
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Generator, Mapping, Sequence
from contextlib import AbstractContextManager, aclosing, asynccontextmanager, contextmanager, nullcontext
from contextvars import ContextVar
from dataclasses import dataclass, replace
from typing import Final, LiteralString, TypeVar, cast

from neo4j import (
    AsyncDriver,
    AsyncGraphDatabase,
    AsyncManagedTransaction,
    AsyncResult,
    AsyncSession,
    Query,
    unit_of_work,
)
from neo4j.exceptions import (
    AuthError,
    ClientError,
    DatabaseUnavailable,
    DriverError,
    Forbidden,
    ForbiddenOnReadOnlyDatabase,
    Neo4jError,
    NotALeader,
    ServiceUnavailable,
    SessionExpired,
    UnsupportedServerProduct,
    WriteServiceUnavailable,
)
from neo4j.time import DateTime
from neo4j.vector import Vector

from graph.backends.base import Endpoint
from graph.errors import Busy, Conflict, DatabaseFailed, MissingDatabase, NotAvailable, TimedOut
from graph.room import Room
from graph.statements import Nothing, Row, Statement
from graph.streaming import DRIVER_CONFIG, stream_values

_Result = TypeVar("_Result")
_ENTITY_NOT_FOUND: Final = "Neo.ClientError.Statement.EntityNotFound"
_TIMED_OUT: Final = "Neo.ClientError.Transaction.TransactionTimedOut"
_DATABASE_NOT_FOUND: Final = "Neo.ClientError.Database.DatabaseNotFound"
_EXPIRED: Final = "Neo.ClientError.Security.CredentialsExpired"
_GAVE_UP: Final = frozenset(
    {"Neo.DatabaseError.Transaction.TransactionStartFailed", "Neo.DatabaseError.Transaction.TransactionLogError"}
)
_ATTEMPTS: Final = 8
_RETRY_S: Final = 30.0
_LEAST_TIMEOUT_S: Final = 0.001  # to the server 0 means no limit

Observer = Callable[[str], AbstractContextManager[object]]
"""Given a statement's name, what is entered before it is sent and left after its last row."""

# What the driver logs is in the errors that it raises; it is not printed for want of somebody who logs.
logging.getLogger("neo4j").addHandler(logging.NullHandler())

_deadline: ContextVar[float | None] = ContextVar("deadline", default=None)
"""When the work at hand is given up, by the event loop's clock."""


@asynccontextmanager
async def deadline(timeout_s: float) -> AsyncGenerator[None]:
    """Give up what is done within after `timeout_s` seconds, statements in Neo4j included. Raises TimedOut then.

    Of nested ones the earliest counts. Tasks that are started within are bound as well: see `without_deadline`.
    """
    at = asyncio.get_running_loop().time() + timeout_s
    outer = _deadline.get()
    token = _deadline.set(at if outer is None else min(at, outer))
    timeout = asyncio.timeout_at(at)
    try:
        async with timeout:
            yield
    except TimeoutError as exc:
        if not timeout.expired():
            raise
        raise _timed_out() from exc
    finally:
        _deadline.reset(token)


@contextmanager
def without_deadline() -> Generator[None]:
    """For work that is begun by a request and outlives it."""
    token = _deadline.set(None)
    try:
        yield
    finally:
        _deadline.reset(token)


def find_time_left() -> float | None:
    """Return the seconds until the work at hand is given up, None when it is not bound."""
    at = _deadline.get()
    return None if at is None else max(0.0, at - asyncio.get_running_loop().time())


def unobserved(_name: str) -> AbstractContextManager[object]:
    """Let a statement run with nobody looking."""
    return nullcontext()


class Transaction:
    """One write transaction. All that is run in it becomes visible together, or not at all."""

    def __init__(
        self, transaction: AsyncManagedTransaction, observer: Observer = unobserved, room: Room | None = None
    ) -> None:
        self._transaction = transaction
        self._observer = observer
        self._room = room

    async def run(self, statement: Statement[Row], **params: object) -> list[Row]:
        """Run a statement and return its rows. Raises NotAvailable when the server's disk is nearly full."""
        _check_room(self._room)
        with self._observer(statement.name):
            return await _collect(await self._transaction.run(statement.text, params), statement)


class Database:
    """A tenant's database. Made by `connect`; safe to share between the tasks of one event loop."""

    def __init__(
        self, driver: AsyncDriver, endpoint: Endpoint, observer: Observer = unobserved, retry_s: float = _RETRY_S
    ) -> None:
        self._driver = driver
        self._retry_s = retry_s
        self.endpoint = endpoint
        self._observer = observer
        self._open = True
        self._sessions: set[asyncio.Timeout] = set()
        self._used_at = time.monotonic()

    @property
    def idle_s(self) -> float:
        """Seconds since something was last done with it; 0 while something is."""
        return 0.0 if self._sessions else time.monotonic() - self._used_at

    def touch(self) -> None:
        """Count this moment as one of use."""
        self._used_at = time.monotonic()

    def retire(self) -> None:
        """Take no new work and end what is under way, because the connection is about to be closed.

        Without that the driver would go on for half a minute to ask a server that is gone.
        """
        self._open = False
        while self._sessions:
            self._sessions.pop().reschedule(0)

    async def verify(self) -> None:
        """Raise NotAvailable unless the server answers and lets us in."""
        await self.identify()

    async def fetch(self, statement: Statement[Row], *, timeout_s: float | None = None, **params: object) -> list[Row]:
        """Run a read statement, retried when that can help, and return its rows in the statement's order.

        Raises TimedOut when the server gave up after `timeout_s` seconds.
        """

        async def work(transaction: AsyncManagedTransaction) -> list[Row]:
            with self._observer(statement.name):
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
        async with self._working():
            with _mapped_errors(), self._observer(statement.name):
                pieces = stream_values(self.endpoint, statement.text, params, timeout_s=_remaining(None))
                async with aclosing(pieces):
                    async for piece in pieces:
                        for values in piece:
                            yield statement.row(*values)

    async def write(self, work: Callable[[Transaction], Awaitable[_Result]]) -> _Result:
        """Run `work` in one transaction; it is called again when the transaction must be retried."""

        async def managed(transaction: AsyncManagedTransaction) -> _Result:
            return await work(Transaction(transaction, self._observer, self.endpoint.room))

        for attempt in range(_ATTEMPTS):
            try:
                async with self._session() as session:
                    with _mapped_errors():
                        return await session.execute_write(_with_timeout(managed, None))
            except _VanishedEntity:
                await asyncio.sleep(0.02 * 2**attempt)
        raise Conflict("The graph kept changing under this write: try it again when less is written at once.")

    async def get_bookmark(self) -> str:
        """A token of the last committed write: equal tokens mean that nothing was written in between.

        Whatever is read after this returns has all that the token stands for.
        """
        # A read's bookmark names the last commit, which may not be applied yet; a second read in the same session
        # waits until it is. Source: causal chaining, https://neo4j.com/docs/python-manual/current/bookmarks/
        async with self._session() as session:
            with _mapped_errors():
                await (await session.run("RETURN 1")).consume()
                bookmarks = await session.last_bookmarks()
                await (await session.run("RETURN 1")).consume()
        return " ".join(sorted(bookmarks.raw_values))

    async def run_alone(self, statement: Statement[Row], **params: object) -> list[Row]:
        """Run a statement in a transaction that the server itself begins and ends, as administration wants it.

        Not retried.
        """
        async with self._session() as session:
            with _mapped_errors(), self._observer(statement.name):
                result = await session.run(Query(statement.text, timeout=_remaining(None)), params)
                return await _collect(result, statement)

    async def apply(self, statement: Statement[Nothing], **params: object) -> None:
        """Run one write statement without rows in a transaction of its own, retried when that can help."""

        async def work(transaction: Transaction) -> None:
            await transaction.run(statement, **params)

        await self.write(work)

    async def identify(self) -> tuple[str, str]:
        """What the server calls itself (`Neo4j/5.26.0`), and the name of this database. Raises as `verify`."""
        async with self._session() as session:
            with _mapped_errors():
                summary = await (await session.run("RETURN 1")).consume()
        return summary.server.agent, summary.database or self.endpoint.database

    async def run_schema(self, text: LiteralString) -> None:
        """Run one statement without rows in a transaction of its own, as the server wants it for schema changes."""
        _check_room(self.endpoint.room)
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

    @asynccontextmanager
    async def _session(self, **config: str) -> AsyncGenerator[AsyncSession]:
        async with (
            self._working(),
            self._driver.session(  # pyright: ignore[reportUnknownMemberType]
                database=self.endpoint.database or None, max_transaction_retry_time=self._retry_s, **config
            ) as session,
        ):
            yield session

    @asynccontextmanager
    async def _working(self) -> AsyncGenerator[None]:
        """Be at work until the end, or until the connection is retired."""
        if not self._open:
            raise _closed()
        end = asyncio.timeout(None)
        try:
            async with end:
                self._sessions.add(end)
                yield
        except TimeoutError as exc:
            if end.expired():
                raise _closed() from exc
            raise
        finally:
            self._sessions.discard(end)
            self.touch()


def format_time(value: object) -> str | None:
    """The ISO 8601 text of a date and time that a row holds, to the nanosecond; None for any other value."""
    return value.iso_format() if isinstance(value, DateTime) else None


def as_vector(values: Sequence[float]) -> object:
    """The numbers as a parameter of Neo4j's own type, 32 bits each: sent in half of the time that a list takes."""
    return Vector(values, "f32")


def vector_values(value: object) -> list[float]:
    """The numbers of a vector that a row holds, whether as Neo4j's own type or as a list."""
    numbers = value.to_native() if isinstance(value, Vector) else value
    return cast("list[float]", numbers)


@dataclass(slots=True)
class _Shared:
    """A driver and how many connections go through it."""

    driver: AsyncDriver
    users: int = 0


_drivers: Final[dict[tuple[asyncio.AbstractEventLoop, Endpoint], _Shared]] = {}
"""The open drivers of each event loop, by server: an endpoint without its database."""


@asynccontextmanager
async def connect(
    endpoint: Endpoint, *, observer: Observer = unobserved, retry_s: float = _RETRY_S
) -> AsyncGenerator[Database]:
    """Connect to a database; the databases of one server share a driver, which the last one to leave closes.

    Does not wait for the server: see `Database.verify`. `observer` is told of each statement that is run.
    For `retry_s` seconds what failed for a passing reason is tried again, such as a server that does not answer.
    """
    key = asyncio.get_running_loop(), replace(endpoint, database="")
    shared = _drivers.get(key)
    if shared is None:
        shared = _drivers[key] = _Shared(_open_driver(endpoint))
    shared.users += 1
    database = Database(shared.driver, endpoint, observer, retry_s)
    try:
        yield database
    finally:
        database.retire()
        shared.users -= 1
        if not shared.users:
            del _drivers[key]
            await shared.driver.close()


def _open_driver(endpoint: Endpoint) -> AsyncDriver:
    return AsyncGraphDatabase.driver(  # pyright: ignore[reportUnknownMemberType]
        endpoint.uri, auth=(endpoint.user, endpoint.password), **DRIVER_CONFIG
    )


async def _collect(result: AsyncResult, statement: Statement[Row]) -> list[Row]:
    if not statement.header.returns:
        await result.consume()
        return []
    return [statement.row(*record.values()) async for record in result]


def _check_room(room: Room | None) -> None:
    # Neo4j would meet the end of the disk in the middle of a write, and then answer no reads either.
    if room is not None:
        room.check("to write")


class _VanishedEntity(Exception):
    """A node or relationship was deleted by another transaction in the middle of ours."""


def _with_timeout(
    work: Callable[..., Awaitable[_Result]], timeout_s: float | None
) -> Callable[..., Awaitable[_Result]]:
    return unit_of_work(timeout=_remaining(timeout_s))(work)


def _remaining(timeout_s: float | None) -> float | None:
    """Return the seconds that a statement may take: its own limit, less when the deadline is near. Raises TimedOut."""
    at = _deadline.get()
    if at is None:
        return timeout_s
    left = at - asyncio.get_running_loop().time()
    if left <= 0:
        raise _timed_out()
    return max(_LEAST_TIMEOUT_S, left if timeout_s is None else min(left, timeout_s))


def _closed() -> NotAvailable:
    return NotAvailable("The connection to the tenant's database was closed meanwhile: try again.")


def _timed_out() -> TimedOut:
    return TimedOut("The query took too long and was stopped: ask for less (depth, limit, relations).")


@contextmanager
def _mapped_errors() -> Generator[None]:
    try:
        yield
    except ClientError as exc:
        raise _map_refusal(exc) from exc
    except (ForbiddenOnReadOnlyDatabase, NotALeader, WriteServiceUnavailable) as exc:
        raise NotAvailable(
            f"The server takes no writes for this database ({_said(exc)}): it is a follower, or the database is read"
            " only. An address with neo4j:// finds the leader; ALTER DATABASE … SET ACCESS READ WRITE lets writes in."
        ) from exc
    except DatabaseUnavailable as exc:
        raise Busy(
            f"The database is not available ({_said(exc)}): try again in a while; SHOW DATABASES tells its state."
        ) from exc
    except (ServiceUnavailable, SessionExpired) as exc:
        way_out = (
            "A server by itself, or one that advertises an address which can't be reached from here, is reached with"
            " bolt:// in place of neo4j://."
            if "routing" in str(exc)
            else "What was committed is kept: run the same again; `cogniverse doctor` tells more."
        )
        raise NotAvailable(f"Neo4j does not answer: {_said(exc)}. {way_out}") from exc
    except UnsupportedServerProduct as exc:
        raise NotAvailable(f"What answers is no Neo4j: {_said(exc)}. Correct the address.") from exc
    except Neo4jError as exc:
        if exc.code in _GAVE_UP:
            raise NotAvailable(
                f"Neo4j could not write and took no more work ({exc.code}); most likely its disk is full. What was"
                " committed before is safe: make room, and run the same again in a few seconds."
            ) from exc
        if exc.is_retryable():
            raise Busy(f"Neo4j is too busy ({exc.code}): try again in a while. {exc.message}") from exc
        raise DatabaseFailed(f"Neo4j gave up on a statement ({exc.code}): {exc.message}", code=exc.code or "") from exc
    except DriverError as exc:
        raise DatabaseFailed(f"The Neo4j driver gave up: {exc}") from exc


def _map_refusal(exc: ClientError) -> Exception:
    code = exc.code or ""
    if code == _ENTITY_NOT_FOUND:
        return _VanishedEntity()
    if code.startswith(_TIMED_OUT):
        return _timed_out()
    if code == _DATABASE_NOT_FOUND:
        return MissingDatabase(
            f"There is no such database on the server ({exc.message}): see SHOW DATABASES. Correct"
            " COGNIVERSE_NEO4J_DATABASE when it is that one; restore a tenant's from a backup, or delete the tenant."
        )
    if code == _EXPIRED:
        return NotAvailable(
            "The user must choose a new password first: log in once with Neo4j Browser or cypher-shell."
        )
    if isinstance(exc, AuthError):
        return NotAvailable(
            f"Neo4j refused the user or password ({_said(exc)}): set COGNIVERSE_NEO4J_USER, and"
            " COGNIVERSE_NEO4J_PASSWORD or COGNIVERSE_NEO4J_PASSWORD_FILE, to what the server knows."
        )
    if isinstance(exc, Forbidden):
        return DatabaseFailed(
            f"Neo4j does not allow this user to do that ({code}): {exc.message} Grant its role what is missing.",
            code=code,
        )
    return DatabaseFailed(f"Neo4j refused a statement ({code}): {exc.message}", code=code)


def _said(exc: Exception) -> str:
    """The text of an error in one line, without what another line says better."""
    text = exc.message if isinstance(exc, Neo4jError) else str(exc)
    return " ".join((text or type(exc).__name__).split()).rstrip(".")
