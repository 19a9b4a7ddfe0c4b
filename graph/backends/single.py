"""The back end of a server with one database: it has one tenant, `default`, which is there from the start."""

import asyncio
from dataclasses import replace
from datetime import UTC, datetime
from typing import Final

from graph.answers import TenantView
from graph.backends.base import BackendFacts, Endpoint, check_display_name, unknown_tenant
from graph.backends.belongings import mapped_folder_errors, remove_belongings
from graph.backends.emptying import GRACE_S, empty_database
from graph.backends.registry import Registry, TenantRow, TenantState
from graph.backends.server import ServerSettings, ask_server, check_server, list_notes
from graph.database import connect
from graph.errors import Conflict, UnknownTenant
from graph.tenants import TenantId, directory_name

ONLY_TENANT: Final = TenantId("default")


class SingleBackend:
    """Gives the one database of a Community server to the tenant `default`. Any number of processes may use it."""

    ends_work = False

    def __init__(self, settings: ServerSettings) -> None:
        self._settings = settings
        self._endpoint = settings.endpoint(settings.database)
        self._registry = Registry(self._endpoint)
        self._served: int | None = None  # the generation that was opened last

    async def open(self, tenant: TenantId, *, create: bool) -> Endpoint:
        """Return the database. Raises UnknownTenant for another tenant, with `create` Conflict.

        While it is being emptied, who may make it waits for that, and for others there is no such tenant.
        """
        _check(tenant, create=create)
        row = await self._find_row()
        if row.state == TenantState.DELETING:
            if not create:
                raise unknown_tenant(tenant)
            await self._finish_deletion(row)
            row = await self._find_row()
        self._served = row.generation
        return self._endpoint

    async def serves(self, tenant: TenantId, endpoint: Endpoint) -> bool:
        """Tell whether the tenant still is the one that was opened last; one read of its record."""
        row = await self._registry.find(tenant)
        is_same = row is not None and row.state == TenantState.READY and row.generation == self._served
        return is_same and endpoint == self._endpoint

    async def describe(self, tenant: TenantId) -> TenantView | None:
        """Return the tenant `default`, None for any other. One that is being emptied is DELETING."""
        if tenant != ONLY_TENANT:
            return None
        row = await self._registry.find(tenant)
        return (
            TenantView(str(tenant), str(tenant), str(TenantState.READY), datetime.now(UTC))
            if row is None or row.is_gone
            else row.view()
        )

    async def describe_all(self) -> list[TenantView]:
        """Return the one tenant, after going on with a deletion that broke off."""
        row = await self._registry.find(ONLY_TENANT)
        if row is not None and row.state == TenantState.DELETING:
            await self._finish_deletion(row)
        view = await self.describe(ONLY_TENANT)
        return [] if view is None else [view]

    async def create(self, tenant: TenantId, display_name: str = "") -> TenantView:
        """Raise Conflict: `default` is there from the start, and there is no room for any other."""
        check_display_name(display_name)
        _check(tenant, create=True)
        raise Conflict(f"There is a tenant {str(tenant)!r} already: use it.")

    async def delete(self, tenant: TenantId) -> TenantView:
        """Remove all that the database holds; return how the tenant was. What is there afterwards is an empty tenant.

        Raises UnknownTenant when somebody else is at it, or for another tenant.
        """
        _check(tenant)
        row = await self._find_row()
        if row.state != TenantState.READY or not await self._registry.move(row, TenantState.DELETING):
            raise unknown_tenant(tenant)
        going = replace(row, state=TenantState.DELETING)
        await self._finish_deletion(going)
        return going.view()

    async def ping(self) -> None:
        """Raise NotAvailable or DatabaseFailed unless the server answers and lets us in."""
        async with connect(self._endpoint) as database:
            await database.verify()

    async def get_facts(self) -> BackendFacts:
        """Return what the server is. Raises NotAvailable when it can't be reached or won't do."""
        facts = await ask_server(self._settings)
        check_server(self._settings, facts, "single")
        # A Community server has one database by nature; of any other it is worth saying.
        why = (facts.refusal,) if facts.refusal is not None and facts.edition != "community" else ()
        return BackendFacts("single", facts.version, facts.gds, (*list_notes(facts), *why))

    async def _find_row(self) -> TenantRow:
        """Return the tenant's record, which is made at first use."""
        database = self._settings.database or "home"
        row, _ = await self._registry.begin(ONLY_TENANT, "", state=TenantState.READY, database=database)
        return row

    async def _finish_deletion(self, row: TenantRow) -> None:
        """Do what is left of a deletion. Several may be at it at once."""
        await asyncio.sleep(GRACE_S)
        await empty_database(self._endpoint)
        with mapped_folder_errors():
            await asyncio.to_thread(remove_belongings, self._settings.belongings, directory_name(ONLY_TENANT))
        await self._registry.move(row, TenantState.GONE)


def _check(tenant: TenantId, *, create: bool = False) -> None:
    if tenant == ONLY_TENANT:
        return
    reason = (
        f"There can be no tenant {str(tenant)!r}: the server has one database, that of {str(ONLY_TENANT)!r}. For more"
        " tenants use Neo4j Enterprise or Aura, or leave COGNIVERSE_NEO4J_URI unset for a server of each tenant's own."
    )
    raise Conflict(reason) if create else UnknownTenant(reason)
