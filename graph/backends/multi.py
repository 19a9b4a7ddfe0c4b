"""The back end of a server with many databases: each tenant has one of them, made and dropped by us.

Enterprise, Aura and what is compatible. A tenant's record comes before its database and stays after it, so that a crash
at any step is made good by whoever opens, makes or lists tenants next.
"""

import asyncio
import logging
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Final

from graph.answers import TenantView
from graph.backends.base import BackendFacts, Endpoint, check_display_name, unknown_tenant
from graph.backends.belongings import mapped_folder_errors, remove_belongings
from graph.backends.databases import Databases
from graph.backends.emptying import GRACE_S, empty_database
from graph.backends.registry import Registry, TenantRow, TenantState
from graph.backends.server import ServerSettings, ask_server, check_server, list_notes
from graph.database import connect
from graph.errors import CogniverseError, Conflict, DatabaseFailed, MissingDatabase, UnknownTenant
from graph.statements import load_statement
from graph.tenants import TenantId, directory_name, parse_tenant

_log: Final = logging.getLogger(__name__)
_OPEN_TRIES: Final = 3


class MultiBackend:
    """Makes, finds and drops the databases of all tenants on one server. Any number of processes may do so at once."""

    ends_work = False

    def __init__(self, settings: ServerSettings) -> None:
        self._settings = settings
        self._registry = Registry(settings.endpoint(settings.database))
        self._databases = Databases(settings)

    async def open(self, tenant: TenantId, *, create: bool) -> Endpoint:
        """Return the tenant's database. Raises UnknownTenant, Conflict, NotAvailable, DatabaseFailed."""
        for _ in range(_OPEN_TRIES):
            row = await self._registry.find(tenant)
            if create and (row is None or row.state in (TenantState.GONE, TenantState.DELETING)):
                row, _ = await self._make(tenant, "")
            if row is not None and row.state == TenantState.CREATING:
                row = await self._finish_creation(row)
            if row is not None and row.state == TenantState.READY:
                return self._settings.endpoint(_database_of(row))
            if not create:
                break
        raise unknown_tenant(tenant)

    async def serves(self, tenant: TenantId, endpoint: Endpoint) -> bool:
        """Tell whether a database given out before still is the tenant's; one read of its record."""
        row = await self._registry.find(tenant)
        return row is not None and row.state == TenantState.READY and row.database == endpoint.database

    async def describe(self, tenant: TenantId) -> TenantView | None:
        """Return a tenant, None when there is none. One that is going is DELETING, one that begins PROVISIONING."""
        row = await self._registry.find(tenant)
        return None if row is None or row.is_gone else row.view()

    async def describe_all(self) -> list[TenantView]:
        """Return all tenants, sorted by id, after going on with deletions that broke off."""
        rows = await self._registry.fetch()
        going = [row for row in rows if row.state == TenantState.DELETING]
        for row in going:
            try:
                await self._finish_deletion(row)
            except CogniverseError as exc:
                _log.warning("the deletion of the tenant %s could not be finished: %s", row.tenant_id, exc)
        if going:
            rows = await self._registry.fetch()
        return [row.view() for row in rows if not row.is_gone]

    async def create(self, tenant: TenantId, display_name: str = "") -> TenantView:
        """Make an empty tenant; of callers that race one makes it.

        Raises Conflict when it is there, or when somebody else's data is in the database that it would have;
        InvalidInput, NotAvailable, DatabaseFailed.
        """
        check_display_name(display_name)
        row, is_new = await self._make(tenant, display_name)
        if not is_new:
            raise Conflict(f"There is a tenant {str(tenant)!r} already: use it, or take another name.")
        made = await self._finish_creation(row)
        if made is None or made.is_gone:
            raise UnknownTenant(f"The tenant {str(tenant)!r} was deleted as soon as it was made.")
        return made.view()

    async def delete(self, tenant: TenantId) -> TenantView:
        """Remove a tenant with all it has; return how it was. From the first moment it takes no new work.

        Raises UnknownTenant, NotAvailable, DatabaseFailed; in the last two cases it goes when tenants are next listed.
        """
        row = await self._registry.find(tenant)
        if row is None or row.state not in (TenantState.READY, TenantState.CREATING):
            raise unknown_tenant(tenant)
        going = replace(row, state=TenantState.DELETING)
        if row.state == TenantState.CREATING:
            if not await self._databases.is_readable(_database_of(row)):
                await self._give_up(row)
                return going.view()
            if await self._is_foreign(row):
                await self._registry.take_back(row)
                raise unknown_tenant(tenant)
        if not await self._registry.move(row, TenantState.DELETING):
            raise unknown_tenant(tenant)
        await self._finish_deletion(going)
        return going.view()

    async def ping(self) -> None:
        """Raise NotAvailable or DatabaseFailed unless the server answers and lets us in."""
        async with connect(self._settings.endpoint(self._settings.database)) as database:
            await database.verify()

    async def get_facts(self) -> BackendFacts:
        """Return what the server is. Raises NotAvailable when it can't be reached or won't do."""
        facts = await ask_server(self._settings)
        check_server(self._settings, facts, "multi")
        return BackendFacts("multi", facts.version, facts.gds, list_notes(facts))

    async def _make(self, tenant: TenantId, display_name: str) -> tuple[TenantRow, bool]:
        """Return a tenant's record, and whether this call made it; the end of one that is going is waited for."""
        row = await self._registry.find(tenant)
        if row is not None and row.state == TenantState.DELETING:
            await self._finish_deletion(row)
        return await self._registry.begin(tenant, display_name, state=TenantState.CREATING)

    async def _finish_creation(self, row: TenantRow) -> TenantRow | None:
        """Have the database of a tenant that begins; return its record as it then is.

        Whatever has data before its tenant is ready is somebody else's, because nobody writes until then.
        """
        name = _database_of(row)
        is_ours = await self._databases.find(name) is None
        if is_ours:
            try:
                await self._databases.create(name)
            except DatabaseFailed:
                await self._registry.take_back(row)
                raise
        await self._databases.await_online(name)
        if not is_ours and await self._is_foreign(row):
            await self._registry.take_back(row)
            raise Conflict(
                f"The server has a database {name} with data that no tenant of ours put there: move it away, or take"
                f" another name than {row.tenant_id!r}."
            )
        if await self._registry.move(row, TenantState.READY):
            return replace(row, state=TenantState.READY)
        found = await self._registry.find(parse_tenant(row.tenant_id))
        if is_ours and (found is None or found.database != name or found.state == TenantState.GONE):
            await self._databases.drop(name)  # the tenant was deleted before its database was there
        return found

    async def _is_foreign(self, row: TenantRow) -> bool:
        """Tell whether somebody else's data is in the database of a tenant that begins."""
        if not await self._has_data(_database_of(row)):
            return False
        return await self._registry.find(parse_tenant(row.tenant_id)) == row

    async def _give_up(self, row: TenantRow) -> None:
        """End a tenant whose database never came online: it stays, as nobody can look whether it is ours."""
        if await self._registry.move(row, TenantState.GONE):
            _log.warning("the database %s is not online and was left as it is: drop it by hand", row.database)

    async def _has_data(self, name: str) -> bool:
        try:
            async with connect(self._settings.endpoint(name)) as database:
                return await database.find(_FIND_DATA) is not None
        except MissingDatabase:
            return False

    async def _finish_deletion(self, row: TenantRow) -> None:
        """Do what is left of a deletion. Several may be at it at once."""
        name = _database_of(row)
        if not await self._databases.drop(name):
            await asyncio.sleep(GRACE_S)
            with suppress(MissingDatabase):
                await empty_database(self._settings.endpoint(name))
        tenant = parse_tenant(row.tenant_id)
        if await self._registry.find(tenant) == row:
            with mapped_folder_errors():
                await asyncio.to_thread(remove_belongings, self._settings.belongings, directory_name(tenant))
            await self._registry.move(row, TenantState.GONE)


@dataclass(frozen=True, slots=True)
class _Found:
    found: bool


_FIND_DATA = load_statement("tenants/find_data", _Found)


def _database_of(row: TenantRow) -> str:
    if row.database is None:
        raise DatabaseFailed(f"The record of the tenant {row.tenant_id!r} names no database: remove it by hand.")
    return row.database
