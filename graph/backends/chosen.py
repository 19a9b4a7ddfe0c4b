"""The back end of a server that was given by its address: the server is asked, once and when first needed."""

import asyncio
from collections.abc import Sequence
from typing import Final, Literal

from graph.answers import TenantView
from graph.backends.base import BackendFacts, Endpoint
from graph.backends.multi import MultiBackend
from graph.backends.registry import Registry, TenantRow
from graph.backends.server import ServerSettings, Wanted, ask_server, check_server
from graph.backends.single import SingleBackend
from graph.errors import NotAvailable
from graph.tenants import TenantId

_SHOWN: Final = 5


async def connect_server(settings: ServerSettings, wanted: Wanted = "auto") -> MultiBackend | SingleBackend:
    """Return the back end for a server, after asking what it is.

    Raises NotAvailable that names all that is missing: an old version, a database that isn't there, with `multi` the
    making of databases; also when the tenants that are there came with the other back end.
    """
    facts = await ask_server(settings)
    kind = check_server(settings, facts, wanted)
    check_records(await Registry(settings.endpoint(settings.database)).fetch(), kind, refusal=facts.refusal)
    return MultiBackend(settings) if kind == "multi" else SingleBackend(settings)


def check_records(rows: Sequence[TenantRow], kind: Literal["multi", "single"], *, refusal: str | None) -> None:
    """Raise NotAvailable unless the tenants on a server go with a back end: else their graphs would seem lost.

    `refusal` is why the server makes no databases.
    """
    wrong = [row.tenant_id for row in rows if not row.is_gone and row.has_own_database != (kind == "multi")]
    if not wrong:
        return
    names = ", ".join(wrong[:_SHOWN]) + (", …" if len(wrong) > _SHOWN else "")
    if kind == "multi":
        raise NotAvailable(
            f"The server's home database holds the graph of the tenant {names}, from when it had room for one only: set"
            " COGNIVERSE_BACKEND to single to go on with it. For many tenants, export that graph and delete it first."
        )
    raise NotAvailable(
        f"The tenants of this server have databases of their own ({names}), so it can't be used for one alone."
        f" {refusal or 'Set COGNIVERSE_BACKEND to multi.'} Or have COGNIVERSE_NEO4J_DATABASE name a database without"
        " records of tenants."
    )


class ChosenBackend:
    """The back end that a server turns out to need. Every method raises NotAvailable as `connect_server` does."""

    ends_work = False

    def __init__(self, settings: ServerSettings, wanted: Wanted = "auto") -> None:
        self.settings = settings
        self._wanted: Wanted = wanted
        self._chosen: MultiBackend | SingleBackend | None = None
        self._choosing = asyncio.Lock()

    async def open(self, tenant: TenantId, *, create: bool) -> Endpoint:
        """Return the tenant's database: see `Backend.open`."""
        return await (await self._choose()).open(tenant, create=create)

    async def serves(self, tenant: TenantId, endpoint: Endpoint) -> bool:
        """Tell whether a database given out before still is the tenant's."""
        return await (await self._choose()).serves(tenant, endpoint)

    async def describe(self, tenant: TenantId) -> TenantView | None:
        """Return a tenant, None when there is none."""
        return await (await self._choose()).describe(tenant)

    async def describe_all(self) -> list[TenantView]:
        """Return all tenants, sorted by id."""
        return await (await self._choose()).describe_all()

    async def create(self, tenant: TenantId, display_name: str = "") -> TenantView:
        """Make an empty tenant: see `Backend.create`."""
        return await (await self._choose()).create(tenant, display_name)

    async def delete(self, tenant: TenantId) -> TenantView:
        """Remove a tenant: see `Backend.delete`."""
        return await (await self._choose()).delete(tenant)

    async def ping(self) -> None:
        """Raise NotAvailable or DatabaseFailed unless the server answers and lets us in."""
        await (await self._choose()).ping()

    async def get_facts(self) -> BackendFacts:
        """Return what the server is, asked anew each time."""
        return await (await self._choose()).get_facts()

    async def _choose(self) -> MultiBackend | SingleBackend:
        async with self._choosing:
            if self._chosen is None:
                self._chosen = await connect_server(self.settings, self._wanted)
            return self._chosen
