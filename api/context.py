"""One request: who asks, and the tenants that it touches."""

from dataclasses import dataclass, field
from typing import Any

from starlette.requests import HTTPConnection

from api.auth.access import Principal, Role
from api.graphql.scope import TenantScope
from api.services import Services
from graph.errors import InvalidInput, UnknownTenant
from graph.tenants import TenantId, parse_tenant


@dataclass
class RequestContext:
    """What resolvers get. `connection_params` is what a WebSocket client sent with its connection."""

    services: Services
    principal: Principal
    request_id: str
    connection: HTTPConnection
    connection_params: dict[str, Any] | None = None
    scopes: dict[TenantId, TenantScope] = field(default_factory=dict[TenantId, TenantScope])

    async def find_scope(self, name: str) -> TenantScope | None:
        """Return a tenant that the caller may see. An unknown one and another's take the same steps to None."""
        try:
            tenant = parse_tenant(name)
        except InvalidInput:
            return None
        view = await self.services.pool.find(tenant)
        if not self.principal.may_see(tenant) or view is None:
            return None
        if tenant not in self.scopes:
            self.scopes[tenant] = TenantScope(self.services, tenant, view)
        return self.scopes[tenant]

    async def get_scope(self, name: str) -> TenantScope:
        """Return a tenant that the caller may see. Raises UnknownTenant."""
        scope = await self.find_scope(name)
        if scope is None:
            raise UnknownTenant(f"There is no tenant {name[:140]!r}: take one of `tenants`, or make it first.")
        return scope

    async def get_writable(self, name: str, *, create: bool = False) -> TenantScope:
        """Return a tenant to write to; with `create` an admin's first write makes it.

        Raises UnknownTenant and Forbidden.
        """
        scope = await self.find_scope(name)
        if scope is None and create and self.principal.role is Role.ADMIN:
            tenant = parse_tenant(name)
            if self.principal.may_see(tenant):
                await self.services.pool.get(tenant, create=True)
        scope = await self.get_scope(name)
        self.principal.require(Role.WRITER)
        return scope
