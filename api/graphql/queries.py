"""The root of queries."""

from typing import Annotated

import strawberry
from strawberry import Info

from api.context import RequestContext
from api.graphql.comparison import (
    FederatedSearchResult,
    TenantComparison,
    compare_tenants,
    search_tenants,
)
from api.graphql.connections import Connection, CursorSpace, check_first, connect_page
from api.graphql.health import Health, check_health
from api.graphql.nodes import After, First
from api.graphql.scope import TenantScope
from api.graphql.tenants import Tenant, Words
from graph.answers import Page
from graph.tenants import parse_tenant

ApiInfo = Info[RequestContext, None]
_ALL_TENANTS = "*"
TenantArgument = Annotated[strawberry.ID, strawberry.argument(description="`name` or `org:name`.")]


@strawberry.type(description="Questions.")
class Query:
    @strawberry.field(
        description="Null for an unknown tenant and for one the caller may not see: the two can't be told apart."
    )
    async def tenant(self, info: ApiInfo, id: TenantArgument) -> Tenant | None:
        scope = await info.context.find_scope(str(id))
        return None if scope is None else Tenant.of(scope)

    @strawberry.field(description="The tenants that the caller may see, by id.")
    async def tenants(self, info: ApiInfo, first: First = 20, after: After = None) -> Connection[Tenant]:
        context = info.context
        space = CursorSpace(context.services.cursors, _ALL_TENANTS, "tenants")
        place = space.decode(after)
        start = str(place[-1]) if place else ""
        scopes = await _visible(context)
        coming = [scope for scope in scopes if scope.view.tenant_id > start]
        items = tuple(coming[: check_first(first, 20)])
        page: Page[TenantScope] = Page(
            items, tuple((scope.view.tenant_id,) for scope in items), has_next=len(coming) > len(items)
        )

        async def count() -> int:
            return len(scopes)

        return connect_page(page, Tenant.of, space=space, after=place, count=count)

    @strawberry.field(
        description="The same question put to several tenants that the caller may see, hits labelled with their tenant."
    )
    async def federated_search(
        self,
        info: ApiInfo,
        tenants: Annotated[list[strawberry.ID], strawberry.argument(description="1 to 20 tenants.")],
        query: Words,
        first: First = 10,
    ) -> FederatedSearchResult:
        return await search_tenants(info.context, [str(tenant) for tenant in tenants], query, first)

    @strawberry.field(
        description="What each tenant says of one thing: shared facts, facts only one has, facts that disagree."
    )
    async def compare_tenants(
        self,
        info: ApiInfo,
        tenants: Annotated[list[strawberry.ID], strawberry.argument(description="1 to 20 tenants.")],
        name: Annotated[str, strawberry.argument(description="A node's name, case and spacing ignored.")],
    ) -> TenantComparison:
        return await compare_tenants(info.context, [str(tenant) for tenant in tenants], name)

    @strawberry.field(description="How the service is.")
    async def health(self, info: ApiInfo) -> Health:
        return await check_health(info.context.services)


async def _visible(context: RequestContext) -> list[TenantScope]:
    views = await context.services.pool.list_tenants()
    known = [(parse_tenant(view.tenant_id), view) for view in views]
    return [TenantScope(context.services, tenant, view) for tenant, view in known if context.principal.may_see(tenant)]
