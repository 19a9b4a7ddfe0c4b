"""The root of mutations. Each asks for the role that it needs before anything else is looked at."""

from typing import Annotated

import strawberry
from strawberry import Info

from api.auth.access import Role
from api.context import RequestContext
from api.graphql.errors import InvalidField
from api.graphql.ingestion import ingest_one, start_folder_job
from api.graphql.inputs import (
    CreateTenantInput,
    IngestFileInput,
    IngestFolderInput,
    TenantQuotaInput,
    UpsertGraphInput,
)
from api.graphql.jobs import make_job
from api.graphql.nodes import make_node
from api.graphql.payloads import (
    DeletePayload,
    DeleteReport,
    IngestPayload,
    JobPayload,
    MergePayload,
    MergeRecord,
    TenantPayload,
    UpsertPayload,
)
from api.graphql.queries import TenantArgument
from api.graphql.quotas import make_quota
from api.graphql.scope import TenantScope
from api.graphql.tenants import Tenant
from api.graphql.upserts import upsert
from api.ingestion import delete
from graph import merges
from graph.errors import UnknownTenant
from graph.quotas import set_quota
from graph.tenants import parse_tenant
from graph.views import fetch_node_views

ApiInfo = Info[RequestContext, None]
_GIVEN = strawberry.argument(description="What is given.")


@strawberry.type(description="Changes.")
class Mutation:
    @strawberry.mutation(description="Make a tenant. Needs the role admin.")
    async def create_tenant(self, info: ApiInfo, input: Annotated[CreateTenantInput, _GIVEN]) -> TenantPayload:
        context = info.context
        context.principal.require(Role.ADMIN)
        tenant = parse_tenant(str(input.id))
        if not context.principal.may_see(tenant):
            raise UnknownTenant(f"{tenant} is none of your tenants: make one that your key names.")
        view = await context.services.pool.create(tenant, input.display_name or str(tenant))
        return Tenant.of(TenantScope(context.services, tenant, view))

    @strawberry.mutation(
        description="Delete a tenant with all that it has, for good. `confirm` repeats its id. Needs the role admin."
    )
    async def delete_tenant(
        self,
        info: ApiInfo,
        id: TenantArgument,
        confirm: Annotated[strawberry.ID, strawberry.argument(description="The id once more.")],
    ) -> TenantPayload:
        context = info.context
        context.principal.require(Role.ADMIN)
        scope = await context.get_scope(str(id))
        if confirm != id:
            raise InvalidField("confirm", f"To delete {scope.tenant} with all that it has, repeat its id in `confirm`.")
        view = await context.services.delete_tenant(scope.tenant)
        return Tenant.of(TenantScope(context.services, scope.tenant, view))

    @strawberry.mutation(
        description="Set all limits of a tenant. One that is over a limit keeps what it has. Needs the role admin."
    )
    async def set_tenant_quota(self, info: ApiInfo, input: Annotated[TenantQuotaInput, _GIVEN]) -> TenantPayload:
        context = info.context
        context.principal.require(Role.ADMIN)
        scope = await context.get_scope(str(input.tenant))
        await scope.ask(set_quota, make_quota(input))
        return Tenant.of(scope)

    @strawberry.mutation(
        description="One file: an upload, or text, or a path under an allowed root. Runs the same pipeline as the CLI. "
        "Needs the role writer."
    )
    async def ingest_file(self, info: ApiInfo, input: Annotated[IngestFileInput, _GIVEN]) -> IngestPayload:
        info.context.principal.require(Role.WRITER)
        return await ingest_one(info.context, input)

    @strawberry.mutation(description="A folder under an allowed root, as a job. Needs the role writer.")
    async def ingest_folder(self, info: ApiInfo, input: Annotated[IngestFolderInput, _GIVEN]) -> JobPayload:
        info.context.principal.require(Role.WRITER)
        return await start_folder_job(info.context, input)

    @strawberry.mutation(description="Nodes and edges from elsewhere, by name, idempotent. Needs the role writer.")
    async def upsert_graph(self, info: ApiInfo, input: Annotated[UpsertGraphInput, _GIVEN]) -> UpsertPayload:
        info.context.principal.require(Role.WRITER)
        return await upsert(info.context, input)

    @strawberry.mutation(description="Take a document back with all that only it supports. Needs the role writer.")
    async def delete_document(
        self,
        info: ApiInfo,
        tenant: TenantArgument,
        id: Annotated[strawberry.ID, strawberry.argument(description="Its id.")],
    ) -> DeletePayload:
        info.context.principal.require(Role.WRITER)
        scope = await info.context.get_scope(str(tenant))
        gone = await delete(scope, str(id))
        return DeleteReport(
            id=strawberry.ID(gone.document_id),
            nodes_removed=gone.nodes,
            edges_removed=gone.edges,
            mentions_removed=gone.mentions,
        )

    @strawberry.mutation(
        description="Aliases and edges move to `into`; undone by the merge's id. Ids or names. Needs the role writer."
    )
    async def merge_nodes(
        self,
        info: ApiInfo,
        tenant: TenantArgument,
        into: Annotated[strawberry.ID, strawberry.argument(description="The node that stays: an id or a name.")],
        nodes: Annotated[list[strawberry.ID], strawberry.argument(description="The nodes that go into it.")],
    ) -> MergePayload:
        info.context.principal.require(Role.WRITER)
        scope = await info.context.get_scope(str(tenant))
        target = await scope.resolve(str(into))
        merged = [(await scope.resolve(str(node))).node_id for node in nodes]
        return await _record(scope, await scope.ask(merges.merge_nodes, target.node_id, merged))

    @strawberry.mutation(description="Take a merge back: the graph is as it would be without. Needs the role writer.")
    async def undo_merge(
        self,
        info: ApiInfo,
        tenant: TenantArgument,
        id: Annotated[strawberry.ID, strawberry.argument(description="Its id.")],
    ) -> MergePayload:
        info.context.principal.require(Role.WRITER)
        scope = await info.context.get_scope(str(tenant))
        return await _record(scope, await scope.ask(merges.undo_merge, str(id)))

    @strawberry.mutation(description="Stop a job; what is written is whole and stays. Needs the role writer.")
    async def cancel_job(
        self,
        info: ApiInfo,
        tenant: TenantArgument,
        id: Annotated[strawberry.ID, strawberry.argument(description="Its id.")],
    ) -> JobPayload:
        info.context.principal.require(Role.WRITER)
        scope = await info.context.get_scope(str(tenant))
        return make_job(scope, await info.context.services.jobs.cancel(scope.tenant, str(id)))


async def _record(scope: TenantScope, record: merges.MergeRecord) -> MergeRecord:
    views = await scope.ask(fetch_node_views, [record.into])
    return MergeRecord(
        id=strawberry.ID(record.merge_id),
        into=make_node(scope, views[record.into]),
        merged=[strawberry.ID(node_id) for node_id in record.merged],
        at=record.at,
        undone=record.undone,
    )
