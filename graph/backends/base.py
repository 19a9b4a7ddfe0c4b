"""The one interface behind which every kind of Neo4j stands."""

from dataclasses import dataclass, field
from typing import Final, Literal, Protocol

from graph.answers import TenantView
from graph.errors import InvalidInput, UnknownTenant
from graph.room import Room
from graph.tenants import TenantId

MAX_DISPLAY_NAME: Final = 200
BackendName = Literal["embedded", "multi", "single"]


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where and how a tenant's database is reached over Bolt. The password never shows in a repr.

    An empty `database` is the one that the server takes for the user's home. `room` is what writes must find free on
    the server's disk, where that is a disk of this machine.
    """

    uri: str
    user: str
    password: str = field(repr=False)
    database: str
    room: Room | None = None


@dataclass(frozen=True, slots=True)
class BackendFacts:
    """What tenants' databases run on. A version is None when it can't be found out, `gds` also when there is none.

    `notes` are what a tenant has to do without, each with its way out.
    """

    backend: BackendName
    neo4j: str | None
    gds: str | None
    notes: tuple[str, ...] = ()


class Backend(Protocol):
    """Turns a tenant into a database; nothing else chooses one."""

    @property
    def ends_work(self) -> bool:
        """Whether what is under way in a tenant ends with it. Where it doesn't, `serves` must be asked meanwhile."""
        ...

    async def open(self, tenant: TenantId, *, create: bool) -> Endpoint:
        """Return the tenant's running database, starting it if need be.

        With `create` a tenant that is not there is made; without it UnknownTenant is raised. Safe when callers race.
        """
        ...

    async def serves(self, tenant: TenantId, endpoint: Endpoint) -> bool:
        """Tell, at little cost, whether an endpoint given out before still is the tenant's; counts as use."""
        ...

    async def describe(self, tenant: TenantId) -> TenantView | None:
        """Return a tenant without starting anything, None when there is none. One that is going is DELETING."""
        ...

    async def describe_all(self) -> list[TenantView]:
        """Return all tenants, sorted by id, after going on with deletions that broke off; starts nothing."""
        ...

    async def create(self, tenant: TenantId, display_name: str = "") -> TenantView:
        """Make an empty tenant. Raises Conflict when it is there; of callers that race one makes it."""
        ...

    async def delete(self, tenant: TenantId) -> TenantView:
        """Remove a tenant with all it has; new work is refused at once. Raises UnknownTenant, Conflict."""
        ...

    async def ping(self) -> None:
        """Raise NotAvailable or DatabaseFailed unless tenants' databases can be used; starts nothing."""
        ...

    async def get_facts(self) -> BackendFacts:
        """Return what tenants' databases run on, starting nothing. Raises NotAvailable when it can't be used."""
        ...


def check_display_name(name: str) -> None:
    """Raise InvalidInput unless a tenant may be shown under this name."""
    if len(name) > MAX_DISPLAY_NAME or not name.isprintable():
        raise InvalidInput(f"A tenant's display name takes at most {MAX_DISPLAY_NAME} printable characters.")


def unknown_tenant(tenant: TenantId) -> UnknownTenant:
    """Return the error of asking for a tenant that is not there."""
    return UnknownTenant(
        f"There is no tenant {str(tenant)!r}: see `cogniverse tenant list`; indexing or loading something makes it."
    )
