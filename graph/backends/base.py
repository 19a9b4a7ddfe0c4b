"""The one interface behind which every kind of Neo4j stands."""

from dataclasses import dataclass, field
from typing import Protocol

from graph.answers import TenantView
from graph.tenants import TenantId


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where and how a tenant's database is reached over Bolt. The password never shows in a repr."""

    uri: str
    user: str
    password: str = field(repr=False)
    database: str


class Backend(Protocol):
    """Turns a tenant into a database; nothing else chooses one."""

    async def open(self, tenant: TenantId, *, create: bool) -> Endpoint:
        """Return the tenant's running database, starting it if need be.

        With `create` a tenant that is not there is made; without it UnknownTenant is raised. Safe when callers race.
        """
        ...

    def serves(self, tenant: TenantId, endpoint: Endpoint) -> bool:
        """Tell, at little cost, whether an endpoint given out before still is the tenant's; counts as use."""
        ...

    async def describe(self, tenant: TenantId) -> TenantView | None:
        """Return a tenant without starting anything, None when there is none. One that is going is DELETING."""
        ...

    async def describe_all(self) -> list[TenantView]:
        """Return all tenants, sorted by id; starts nothing."""
        ...

    async def create(self, tenant: TenantId, display_name: str) -> TenantView:
        """Make an empty tenant. Raises Conflict when it is there; of callers that race one makes it."""
        ...

    async def delete(self, tenant: TenantId) -> TenantView:
        """Remove a tenant with all it has; new work is refused at once. Raises UnknownTenant, Conflict."""
        ...
