"""The tenants of one process: each opened once, shared by its requests, closed when nobody needs it."""

import asyncio
import contextvars
import logging
import time
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass, field
from typing import Final

from api.config import Settings
from api.observability.record import note_tenant
from api.observability.statements import observe_statement
from graph.answers import TenantView
from graph.backends.base import Backend, Endpoint
from graph.database import Database, Observer, connect, find_time_left, without_deadline
from graph.errors import CogniverseError, NotAvailable, UnknownTenant
from graph.migrate import prepare_database
from graph.tenants import TenantId

_log: Final = logging.getLogger(__name__)
_TRUSTED_S: Final = 0.5
"""How long a server that was seen alive is taken to live on without another look."""
_SWEEPS_A_LIFE: Final = 4
_PATIENCE: Final = 0.9
"""The part of a request's time for which it waits for a server to start."""


OnOpen = Callable[[TenantId, Endpoint], Awaitable[None]]
"""Looks at a tenant that was opened, beside the work on it."""


@dataclass(slots=True)
class _Opened:
    """A connection; `seen_at` is when its server was last seen alive, by the monotonic clock."""

    database: Database
    stack: AsyncExitStack
    seen_at: float


@dataclass(slots=True)
class _Place:
    """Where a tenant's connection is, or the task that is making it."""

    opened: _Opened | None = None
    opening: "asyncio.Task[_Opened] | None" = None
    may_create: bool = False


@dataclass
class TenantPool:
    """Open tenants. For one event loop; other processes may use and delete the same tenants."""

    settings: Settings
    backend: Backend
    observer: Observer = observe_statement
    on_open: OnOpen | None = None
    _looking: "set[asyncio.Task[None]]" = field(default_factory=set["asyncio.Task[None]"], init=False)
    _places: dict[TenantId, _Place] = field(default_factory=dict[TenantId, _Place], init=False)
    _going: set[TenantId] = field(default_factory=set[TenantId], init=False)
    _sweeper: "asyncio.Task[None] | None" = field(default=None, init=False)

    async def get(self, tenant: TenantId, *, create: bool = False) -> Database:
        """Return a tenant's database, its server running and its schema up to date; with `create` it may be new.

        The caller must not keep it beyond the work at hand: unused connections are closed. Raises UnknownTenant,
        ServerFailed, DownloadFailed, MigrationFailed.
        """
        note_tenant(str(tenant))
        while tenant not in self._going:
            place = self._places.setdefault(tenant, _Place())
            await self._check_alive(tenant, place)
            if self._places.get(tenant) is not place:
                continue  # closed meanwhile
            try:
                opened = place.opened or await self._join_opening(tenant, place, create=create)
            except UnknownTenant:
                if place.may_create or not create:
                    raise
                continue  # the opening was that of a caller who makes no tenants
            opened.database.touch()
            return opened.database
        raise _unknown(tenant)

    async def find(self, tenant: TenantId) -> TenantView | None:
        """Return a tenant, None when there is none. Starts nothing; one that is going is DELETING."""
        return await self.backend.describe(tenant)

    async def list_tenants(self) -> list[TenantView]:
        """Return all tenants, sorted by id. Starts nothing."""
        return await self.backend.describe_all()

    async def create(self, tenant: TenantId, display_name: str) -> TenantView:
        """Make an empty tenant. Raises Conflict when it is there, InvalidInput for a name that can't be shown."""
        return await self.backend.create(tenant, display_name)

    async def delete(self, tenant: TenantId) -> TenantView:
        """Remove a tenant with all it has, for good; what is under way in it fails. Raises UnknownTenant, Conflict."""
        if tenant in self._going:
            raise _unknown(tenant)
        self._going.add(tenant)
        try:
            removal = asyncio.ensure_future(self.backend.delete(tenant))
            await asyncio.sleep(0)  # the mark comes first
            await self._close_place(tenant)
            return await asyncio.shield(removal)
        finally:
            self._going.discard(tenant)

    async def close(self) -> None:
        """Close every connection. The servers stop by themselves when nobody uses them."""
        if self._sweeper is not None:
            self._sweeper.cancel()
            with suppress(asyncio.CancelledError):
                await self._sweeper
            self._sweeper = None
        for task in self._looking:
            task.cancel()
        await asyncio.gather(*self._looking, return_exceptions=True)
        for tenant in list(self._places):
            await self._close_place(tenant)

    async def _check_alive(self, tenant: TenantId, place: _Place) -> None:
        """Close a tenant's connection when its database is the tenant's no longer."""
        opened, now = place.opened, time.monotonic()
        if opened is None or now - opened.seen_at <= _TRUSTED_S:
            return
        opened.seen_at = now  # one look for all who ask now
        if not await self.backend.serves(tenant, opened.database.endpoint) and place.opened is opened:
            await self._drop(place)

    async def _join_opening(self, tenant: TenantId, place: _Place, *, create: bool) -> _Opened:
        """Wait for the one opening that is under way. It goes on when this caller gives up."""
        if place.opening is None:
            place.may_create = create
            place.opening = asyncio.create_task(self._open(tenant, place))
            place.opening.add_done_callback(_retrieve)
        opening = place.opening
        left = find_time_left()
        if left is not None and not (await asyncio.wait({opening}, timeout=left * _PATIENCE))[0]:
            raise NotAvailable(f"The database of {str(tenant)!r} is being started: ask again in a moment.")
        try:
            return await asyncio.shield(opening)
        except asyncio.CancelledError:
            if not opening.cancelled():
                raise
        raise NotAvailable(f"The tenant {str(tenant)!r} was closed while it was opened: try again.")

    async def _open(self, tenant: TenantId, place: _Place) -> _Opened:
        stack = AsyncExitStack()
        try:
            with without_deadline():
                endpoint = await self.backend.open(tenant, create=place.may_create)
                database = await stack.enter_async_context(connect(endpoint, observer=self.observer))
                await prepare_database(database)
        except BaseException:
            await stack.aclose()
            if self._places.get(tenant) is place:
                del self._places[tenant]
            raise
        finally:
            place.opening = None
        place.opened = _Opened(database, stack, time.monotonic())
        self._look(tenant, endpoint)
        if self._sweeper is None:
            self._sweeper = asyncio.create_task(self._sweep(), context=contextvars.Context())
        return place.opened

    def _look(self, tenant: TenantId, endpoint: Endpoint) -> None:
        async def look(on_open: OnOpen) -> None:
            try:
                await on_open(tenant, endpoint)
            except CogniverseError as exc:
                _log.warning("the tenant %s could not be looked at: %s", tenant, exc)

        if self.on_open is not None:
            task = asyncio.create_task(look(self.on_open), context=contextvars.Context())
            self._looking.add(task)
            task.add_done_callback(self._looking.discard)

    async def _sweep(self) -> None:
        idle_s = self.settings.connection_idle_s
        while True:
            await asyncio.sleep(idle_s / _SWEEPS_A_LIFE if self.backend.ends_work else _TRUSTED_S)
            for tenant, place in list(self._places.items()):
                if place.opened is None or self._places.get(tenant) is not place:
                    continue
                if place.opened.database.idle_s >= idle_s:
                    del self._places[tenant]
                    await self._drop(place)
                elif place.opened.database.idle_s == 0 and not self.backend.ends_work:
                    with suppress(CogniverseError):  # the work itself will find that out
                        await self._check_alive(tenant, place)

    async def _close_place(self, tenant: TenantId) -> None:
        place = self._places.pop(tenant, None)
        if place is None:
            return
        if place.opening is not None:
            place.opening.cancel()
            await asyncio.wait([place.opening])
        await self._drop(place)

    async def _drop(self, place: _Place) -> None:
        opened, place.opened = place.opened, None
        if opened is None:
            return
        opened.database.retire()
        try:
            await opened.stack.aclose()
        except Exception:  # noqa: BLE001 - the others are closed as well
            _log.exception("a connection to %s could not be closed", opened.database.endpoint.uri)


def _retrieve(opening: "asyncio.Task[_Opened]") -> None:
    """Look at how an opening ended: its callers may all have given up."""
    if not opening.cancelled():
        opening.exception()


def _unknown(tenant: TenantId) -> UnknownTenant:
    return UnknownTenant(f"There is no tenant {str(tenant)!r}: make it first.")
