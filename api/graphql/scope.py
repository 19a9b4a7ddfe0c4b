"""One tenant within one request: the only way from a field to a database."""

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Concatenate, ParamSpec, TypeVar

from api.graphql.connections import CursorSpace
from api.graphql.errors import AmbiguousInTenant
from api.graphql.loaders import Loaders
from graph.answers import NodeView, TenantView
from graph.communities import Communities, compute_communities
from graph.database import Database
from graph.errors import AmbiguousName
from graph.lookup import get_node
from graph.tenants import TenantId
from graph.version import get_graph_version

if TYPE_CHECKING:
    from api.graphql.nodes import Node
    from api.services import Services

_Params = ParamSpec("_Params")
_Answer = TypeVar("_Answer")


class TenantScope:
    """A tenant that the caller may see, with its database, opened when first needed, and its loaders."""

    def __init__(self, services: "Services", tenant: TenantId, view: TenantView) -> None:
        self.services = services
        self.tenant = tenant
        self.view = view
        self.loaders = Loaders(self.open)

    async def open(self, *, create: bool = False) -> Database:
        """Return the tenant's database, starting its server if need be."""
        return await self.services.pool.get(self.tenant, create=create)

    async def ask(
        self,
        question: Callable[Concatenate[Database, _Params], Awaitable[_Answer]],
        *args: _Params.args,
        **kwargs: _Params.kwargs,
    ) -> _Answer:
        """Put a question of the graph layer to the tenant's database."""
        database = await self.open()
        try:
            return await question(database, *args, **kwargs)
        except AmbiguousName as exc:
            raise AmbiguousInTenant(exc, self) from exc

    def space(self, name: str) -> CursorSpace:
        """Return the cursors of one of the tenant's lists."""
        return CursorSpace(self.services.cursors, str(self.tenant), name)

    async def resolve(self, ref: str) -> NodeView:
        """Return the node that an id or a name means. Raises NotFound, AmbiguousName, InvalidInput."""
        return await self.ask(get_node, ref)

    async def fetch_communities(self) -> Communities:
        """Return the communities of the graph as it is now."""
        database = await self.open()
        version = await get_graph_version(database)
        return await self.services.communities.fetch(
            self.tenant, "search for communities", version, lambda: compute_communities(database)
        )

    async def fetch_candidates(self, exc: AmbiguousName) -> list["Node"]:
        """Return the nodes that an ambiguous name may mean."""
        from api.graphql.nodes import make_node

        views = await self.loaders.nodes.load_many([candidate.node_id for candidate in exc.candidates])
        return [make_node(self, view) for view in views if view is not None]
