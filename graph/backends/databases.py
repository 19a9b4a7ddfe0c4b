"""The databases of a server: made, looked at and dropped by administration commands, in the form that it knows.

Source: https://neo4j.com/docs/operations-manual/current/database-administration/standard-databases/errors for commands
that end well while the database doesn't.
"""

import asyncio
import time
from dataclasses import dataclass
from typing import Final

from graph.backends.server import SYSTEM, UNKNOWN_FORM, ServerSettings
from graph.database import connect
from graph.errors import DatabaseFailed, MissingDatabase, NotAvailable
from graph.statements import Nothing, Statement, load_statement

_EXISTS: Final = "Neo.ClientError.Database.ExistingDatabaseFound"
_FORBIDDEN: Final = "Neo.ClientError.Security.Forbidden"
_ONLINE: Final = "online"
_DROPPED: Final = "dropped"
_FAILED: Final = frozenset({"offline", "dirty", "quarantined"})
_SETTLED_S: Final = 2.0
"""How long a database must be in a state that it can't leave by itself: it may pass through one."""
_FIRST_WAIT_S: Final = 0.02
_LONGEST_WAIT_S: Final = 0.5


@dataclass(frozen=True, slots=True)
class DatabaseStatus:
    """How a database is on one server: its state in the server's words, and why."""

    status: str
    message: str | None


_SHOW = load_statement("tenants/show_database", DatabaseStatus)
_CREATE: Final = (
    load_statement("tenants/create_database", Nothing),
    load_statement("tenants/create_database_plainly", Nothing),
)
_DROP: Final = (
    load_statement("tenants/drop_database", Nothing),
    load_statement("tenants/drop_database_plainly", Nothing),
)


class Databases:
    """Makes and drops databases. Which form of a command the server knows is learned once."""

    def __init__(self, settings: ServerSettings) -> None:
        self._settings = settings
        self._create = _CREATE
        self._drop = _DROP
        self._shows = True

    async def find(self, name: str) -> DatabaseStatus | None:
        """Return how a database is, None when there is none. Online on any server of a cluster is online."""
        if self._shows:
            try:
                async with connect(self._settings.endpoint(SYSTEM)) as system:
                    rows = await system.run_alone(_SHOW, name=name)
            except DatabaseFailed as exc:
                if exc.code not in UNKNOWN_FORM:
                    raise
                self._shows = False
            else:
                there = [row for row in rows if row.status != _DROPPED]
                return next((row for row in there if row.status == _ONLINE), there[0] if there else None)
        return await self._try(name)

    async def is_readable(self, name: str) -> bool:
        """Tell whether a database can be looked into, or is not there at all."""
        status = await self.find(name)
        return status is None or status.status == _ONLINE

    async def create(self, name: str) -> None:
        """Make a database; nothing happens when it is there. It may not be online yet. Raises DatabaseFailed."""
        for place, statement in enumerate(self._create):
            try:
                await self._administer(statement, name)
            except DatabaseFailed as exc:
                if exc.code == _EXISTS:
                    return
                if exc.code not in UNKNOWN_FORM or statement is self._create[-1]:
                    raise
            else:
                self._create = self._create[place:]
                return

    async def await_online(self, name: str) -> None:
        """Wait until a database can be used. Raises NotAvailable when it can't be, or not within the time for it."""
        give_up_at = time.monotonic() + self._settings.start_timeout_s
        failed_at: float | None = None
        wait_s = _FIRST_WAIT_S
        while True:
            status = await self.find(name)
            if status is not None and status.status == _ONLINE:
                return
            now = time.monotonic()
            has_failed = status is not None and status.status in _FAILED
            failed_at = (failed_at or now) if has_failed else None
            if now >= give_up_at or (failed_at is not None and now - failed_at >= _SETTLED_S):
                raise NotAvailable(_not_online(name, status))
            await asyncio.sleep(wait_s)
            wait_s = min(2 * wait_s, _LONGEST_WAIT_S)

    async def drop(self, name: str) -> bool:
        """Remove a database and wait until it is gone; False when the server doesn't let it be dropped."""
        for place, statement in enumerate(self._drop):
            try:
                await self._administer(statement, name)
            except MissingDatabase:
                return True
            except DatabaseFailed as exc:
                if exc.code in UNKNOWN_FORM:
                    continue
                if exc.code == _FORBIDDEN:
                    return False
                raise
            self._drop = self._drop[place:]
            await self._await_gone(name)
            return True
        return False

    async def _await_gone(self, name: str) -> None:
        give_up_at = time.monotonic() + self._settings.start_timeout_s
        wait_s = _FIRST_WAIT_S
        while (status := await self.find(name)) is not None:
            if time.monotonic() >= give_up_at:
                raise NotAvailable(
                    f"The database {name} was dropped and is still {status.status}: see SHOW DATABASES. The deletion is"
                    " gone on with when tenants are next listed."
                )
            await asyncio.sleep(wait_s)
            wait_s = min(2 * wait_s, _LONGEST_WAIT_S)

    async def _administer(self, statement: Statement[Nothing], name: str) -> None:
        async with connect(self._settings.endpoint(SYSTEM)) as system:
            await system.run_alone(statement, name=name)

    async def _try(self, name: str) -> DatabaseStatus | None:
        """Find out how a database is on a server that doesn't show them: by using it."""
        try:
            async with connect(self._settings.endpoint(name)) as database:
                await database.verify()
        except MissingDatabase:
            return None
        except NotAvailable as exc:
            return DatabaseStatus("not available", str(exc))
        return DatabaseStatus(_ONLINE, None)


def _not_online(name: str, status: DatabaseStatus | None) -> str:
    state = "is not there" if status is None else f"is {status.status}"
    reason = f" ({status.message})" if status is not None and status.message else ""
    return (
        f"The database {name} was made but {state}{reason}: see SHOW DATABASES and the server's log. When it is mended"
        " the same command goes on; deleting the tenant gives it up."
    )
