"""What every REST request is given."""

from collections.abc import AsyncGenerator
from typing import Annotated

from fastapi import Depends, Query, Request

from api.context import RequestContext
from api.services import Services
from graph.database import deadline


def get_services(request: Request) -> Services:
    """Return the services of the application."""
    return request.app.state.services


async def get_context(request: Request) -> AsyncGenerator[RequestContext]:
    """Settle who asks, and bound what they ask in time. Raises Unauthenticated."""
    services = get_services(request)
    principal = await services.authenticator.authenticate(request)
    async with deadline(services.settings.query_timeout_s):
        yield RequestContext(services, principal, str(request.scope.get("state", {}).get("request_id", "")), request)


def get_tenant(
    request: Request,
    tenant: Annotated[str | None, Query(description="Whose graph; the default tenant when not given.")] = None,
) -> str:
    """Return the tenant asked for."""
    return tenant if tenant is not None else get_services(request).settings.tenant


AskedTenant = Annotated[str, Depends(get_tenant)]
