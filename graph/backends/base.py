"""The one interface behind which every kind of Neo4j stands."""

from dataclasses import dataclass, field
from typing import Protocol

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
