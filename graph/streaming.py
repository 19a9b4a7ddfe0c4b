"""Many rows out of Neo4j by the blocking driver, in threads, while the event loop goes on.

The asynchronous driver spends some 200 µs of the event loop on each row, four times what the blocking one takes in all.
"""

import asyncio
from collections.abc import AsyncGenerator, Mapping
from contextlib import ExitStack
from typing import Any, Final, LiteralString

from neo4j import Driver, GraphDatabase, Query, Result

from graph.backends.base import Endpoint

_ROWS_AT_ONCE: Final = 2_000
DRIVER_CONFIG: Final[Mapping[str, Any]] = {
    "user_agent": "cogniverse-graph",
    "connection_timeout": 10.0,
    "notifications_min_severity": "OFF",
    "telemetry_disabled": True,
}
"""What the drivers of both kinds are opened with."""


async def stream_values(
    endpoint: Endpoint, text: LiteralString, params: Mapping[str, object], *, timeout_s: float | None
) -> AsyncGenerator[list[tuple[Any, ...]]]:
    """The values of the rows of a read statement, some thousands at a time; the next ones come while these are used.

    Raises the driver's exceptions. Not retried.
    """
    reader = _Reader(endpoint)
    coming = asyncio.create_task(asyncio.to_thread(reader.begin, text, params, timeout_s))
    try:
        while values := await asyncio.shield(coming):
            coming = asyncio.create_task(asyncio.to_thread(reader.take))
            yield values
    finally:
        # A session is for one thread at a time, so the one that is at work comes to its end first.
        await asyncio.gather(coming, return_exceptions=True)
        await asyncio.to_thread(reader.close)


class _Reader:
    """One statement's result, read piece by piece."""

    def __init__(self, endpoint: Endpoint) -> None:
        self._endpoint = endpoint
        self._opened = ExitStack()
        self._result: Result | None = None

    def begin(
        self, text: LiteralString, params: Mapping[str, object], timeout_s: float | None
    ) -> list[tuple[Any, ...]]:
        """Send the statement and return its first rows."""
        driver: Driver = self._opened.enter_context(
            GraphDatabase.driver(  # pyright: ignore[reportUnknownMemberType]
                self._endpoint.uri, auth=(self._endpoint.user, self._endpoint.password), **DRIVER_CONFIG
            )
        )
        session = self._opened.enter_context(
            driver.session(  # pyright: ignore[reportUnknownMemberType]
                database=self._endpoint.database or None, fetch_size=_ROWS_AT_ONCE
            )
        )
        self._result = session.run(Query(text, timeout=timeout_s), dict(params))
        return self.take()

    def take(self) -> list[tuple[Any, ...]]:
        """The next rows, none at the end."""
        assert self._result is not None  # noqa: S101 - it has begun
        return [record.values() for record in self._result.fetch(_ROWS_AT_ONCE)]  # pyright: ignore[reportReturnType]

    def close(self) -> None:
        """Give the connection up, whether or not all rows were read."""
        self._opened.close()
