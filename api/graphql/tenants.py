"""A tenant: the door to its graph."""

from datetime import datetime
from typing import Annotated, Final

import strawberry

from api.graphql.connections import Connection, check_first, connect_page, paginate
from api.graphql.duplicates import DuplicatesResult, search_duplicates
from api.graphql.enums import (
    Centrality,
    Direction,
    ExportFormat,
    JobStatus,
    SearchMode,
    TenantState,
    mode_of,
    walk_of,
)
from api.graphql.errors import InvalidField
from api.graphql.exports import ExportResult, create_export
from api.graphql.filters import (
    DocumentFilter,
    EdgeFilter,
    EdgeOrder,
    NodeFilter,
    NodeOrder,
    document_condition,
    edge_condition,
    edge_ends,
    make_order,
    name_order,
    node_condition,
)
from api.graphql.jobs import Job, connect_jobs, find_job
from api.graphql.nodes import (
    After,
    Community,
    Directions,
    Edge,
    First,
    Node,
    RankedNode,
    Relations,
    check_relations,
    make_edge,
    make_node,
)
from api.graphql.results import (
    HubsResult,
    KindCount,
    Neighbor,
    Neighborhood,
    NeighborsResult,
    NodeHit,
    NodeSearchResult,
    NoPath,
    Path,
    PathResult,
    RelationCount,
    SegmentHit,
    SegmentSearchResult,
    make_degraded,
)
from api.graphql.scope import TenantScope
from api.graphql.sources import Document, make_document, make_segment
from api.meaning import Meaning, find_meaning
from graph import answers, listing
from graph.analytics import fetch_hubs
from graph.answers import DocumentView, EdgeWithEnds, Key, NodeView, Page
from graph.filters import Condition
from graph.lookup import fetch_named_nodes, get_node
from graph.neighbors import fetch_neighbors
from graph.paths import find_path
from graph.quotas import get_quota, get_usage
from graph.search import search_nodes
from graph.segments import search_segments
from graph.stats import get_stats

Words = Annotated[str, strawberry.argument(description="Any text: no character is syntax.")]
Mode = Annotated[SearchMode | None, strawberry.argument(description="How words are compared.")]
NodeWhere = Annotated[NodeFilter | None, strawberry.argument(description="Which nodes.")]
_ORDER_ARGUMENT: Final = strawberry.argument(description="The first that tells two apart decides; ids decide the rest.")


@strawberry.type(description="The size of a tenant's graph.")
class GraphStats:
    nodes: int = strawberry.field(description="How many nodes.")
    edges: int = strawberry.field(description="How many edges.")
    mentions: int = strawberry.field(description="How many mentions.")
    documents: int = strawberry.field(description="How many documents, skipped and failed ones among them.")
    nodes_by_kind: list[KindCount] = strawberry.field(description="Nodes by kind, most first.")
    edges_by_relation: list[RelationCount] = strawberry.field(description="Edges by relation, most first.")
    scope: strawberry.Private[TenantScope]

    @strawberry.field(description="The nodes with the most edges.")
    async def top_nodes(self, first: First = 10) -> list[RankedNode]:
        return (await rank_hubs(self.scope, check_first(first, 10))).nodes


@strawberry.type(description="How much there may be of something, and how much there is.")
class Allowance:
    limit: float | None = strawberry.field(description="The most, a whole number; null where there is no limit.")
    used: float = strawberry.field(description="How much there is, a whole number.")


@strawberry.type(description="What a tenant may hold. A write that would grow it over a limit is refused whole.")
class TenantQuota:
    documents: Allowance = strawberry.field(description="Documents, skipped and failed ones among them.")
    nodes: Allowance = strawberry.field(description="Nodes.")
    bytes: Allowance = strawberry.field(description="Bytes of the documents' texts as they are stored, in UTF-8.")
    jobs: Allowance = strawberry.field(description="Jobs that wait or run.")


@strawberry.type(description="One owner's graph, in a database of its own.")
class Tenant:
    id: strawberry.ID = strawberry.field(description="`name` or `org:name`.")
    display_name: str = strawberry.field(description="The name for people.")
    state: TenantState = strawberry.field(description="Where it is in its life.")
    created_at: datetime = strawberry.field(description="When it was made.")
    scope: strawberry.Private[TenantScope]

    @classmethod
    def of(cls, scope: TenantScope) -> "Tenant":
        """Return a tenant as shown."""
        view = scope.view
        return cls(
            id=strawberry.ID(view.tenant_id),
            display_name=view.display_name,
            state=TenantState(view.state),
            created_at=view.created_at,
            scope=scope,
        )

    @strawberry.field(description="The size of its graph.")
    async def stats(self) -> GraphStats:
        stats = await self.scope.ask(get_stats)
        return GraphStats(
            nodes=stats.nodes,
            edges=stats.edges,
            mentions=stats.mentions,
            documents=stats.documents,
            nodes_by_kind=[KindCount(kind=one.name, count=one.count) for one in stats.nodes_by_kind],
            edges_by_relation=[RelationCount(relation=one.name, count=one.count) for one in stats.edges_by_relation],
            scope=self.scope,
        )

    @strawberry.field(description="What it may hold, and what it holds.")
    async def quota(self) -> TenantQuota:
        quota, usage = await self.scope.ask(get_quota), await self.scope.ask(get_usage)
        return TenantQuota(
            documents=Allowance(limit=quota.documents, used=usage.documents),
            nodes=Allowance(limit=quota.nodes, used=usage.nodes),
            bytes=Allowance(limit=quota.bytes, used=usage.bytes),
            jobs=Allowance(limit=quota.jobs, used=usage.jobs),
        )

    @strawberry.field(description="A node by its id, or by a name that only one bears; null when there is none.")
    async def node(
        self, id: Annotated[strawberry.ID, strawberry.argument(description="An id or a name.")]
    ) -> Node | None:
        found = await _find_node(self.scope, str(id))
        return None if found is None else make_node(self.scope, found)

    @strawberry.field(
        description="By bare name, case and spacing ignored, best kind first; several when the name is ambiguous."
    )
    async def nodes_by_name(
        self,
        name: Annotated[str, strawberry.argument(description="Case and spacing are ignored.")],
        first: First = 10,
    ) -> list[Node]:
        size = check_first(first, 10)
        found = (await self.scope.ask(fetch_named_nodes, name))[:size]
        return [make_node(self.scope, view) for view in found]

    @strawberry.field(description="Nodes, by default in the order of their ids.")
    async def nodes(
        self,
        where: NodeWhere = None,
        order_by: Annotated[list[NodeOrder] | None, _ORDER_ARGUMENT] = None,
        first: First = 20,
        after: After = None,
    ) -> Connection[Node]:
        scope, condition, order = self.scope, node_condition(where), make_order(order_by)
        space = scope.space(f"nodes {name_order(order)}")

        async def fetch(size: int, start: Key | None) -> Page[NodeView]:
            return await scope.ask(listing.fetch_node_page, where=condition, order=order, first=size, after=start)

        return await paginate(
            fetch,
            lambda view: make_node(scope, view),
            space=space,
            first=first,
            default=20,
            after=after,
            count=lambda: scope.ask(listing.count_nodes, condition),
        )

    @strawberry.field(description="An edge by its id; null when there is none.")
    async def edge(self, id: Annotated[strawberry.ID, strawberry.argument(description="Its id.")]) -> Edge | None:
        found = await self.scope.ask(listing.find_edge, str(id))
        return None if found is None else make_edge(self.scope, found)

    @strawberry.field(description="Edges, by default in the order of their ids.")
    async def edges(
        self,
        where: Annotated[EdgeFilter | None, strawberry.argument(description="Which edges.")] = None,
        order_by: Annotated[list[EdgeOrder] | None, _ORDER_ARGUMENT] = None,
        first: First = 20,
        after: After = None,
    ) -> Connection[Edge]:
        scope, order = self.scope, make_order(order_by)
        condition = await _edge_condition(scope, where)
        space = scope.space(f"all edges {name_order(order)}")

        async def fetch(size: int, start: Key | None) -> Page[EdgeWithEnds]:
            return await scope.ask(listing.fetch_edge_page, where=condition, order=order, first=size, after=start)

        return await paginate(
            fetch,
            lambda found: make_edge(scope, found),
            space=space,
            first=first,
            default=20,
            after=after,
            count=lambda: scope.ask(listing.count_edges, condition),
        )

    @strawberry.field(description="A document by its id; null when there is none.")
    async def document(
        self, id: Annotated[strawberry.ID, strawberry.argument(description="Its id.")]
    ) -> Document | None:
        found = await self.scope.loaders.documents.load(str(id))
        return None if found is None else make_document(self.scope, found)

    @strawberry.field(description="Documents in the order of their ids.")
    async def documents(
        self,
        where: Annotated[DocumentFilter | None, strawberry.argument(description="Which documents.")] = None,
        first: First = 20,
        after: After = None,
    ) -> Connection[Document]:
        scope, condition = self.scope, document_condition(where)
        space = scope.space("documents")

        async def fetch(size: int, start: Key | None) -> Page[DocumentView]:
            return await scope.ask(listing.fetch_document_page, where=condition, first=size, after=start)

        return await paginate(
            fetch,
            lambda view: make_document(scope, view),
            space=space,
            first=first,
            default=20,
            after=after,
            count=lambda: scope.ask(listing.count_documents, condition),
        )

    @strawberry.field(description="Nodes by words and meaning, exact names first. Any text: no character is syntax.")
    async def search(
        self,
        query: Words,
        mode: Mode = SearchMode.HYBRID,
        where: NodeWhere = None,
        first: First = 10,
    ) -> NodeSearchResult:
        size, asked, condition = check_first(first, 10), mode_of(mode), node_condition(where)
        meaning = await find_meaning(self.scope.services.models, query, asked)
        return await search_nodes_of(self.scope, query, size, meaning=meaning, mode=asked, where=condition)

    @strawberry.field(description="Segments by words and meaning. Any text: no character is syntax.")
    async def search_segments(
        self, query: Words, mode: Mode = SearchMode.HYBRID, first: First = 10
    ) -> SegmentSearchResult:
        scope, size, asked = self.scope, check_first(first, 10), mode_of(mode)
        meaning = await find_meaning(scope.services.models, query, asked)
        found = await scope.ask(
            search_segments,
            query,
            top_k=max(size, 1),
            mode=asked,
            vector=meaning.vector,
            reranker=meaning.reranker,
        )
        hits = [
            SegmentHit(
                segment=make_segment(scope, hit.segment),
                score=hit.score,
                text_rank=hit.text_rank,
                vector_rank=hit.vector_rank,
            )
            for hit in found.hits[:size]
        ]
        return SegmentSearchResult(
            hits=hits,
            truncated=found.truncated or len(found.hits) > size,
            degraded=make_degraded((*found.degraded, *meaning.degraded)),
        )

    @strawberry.field(
        description="What lies around a node, grouped by direction, nearest first. `node` is an id or a name."
    )
    async def neighbors(
        self,
        node: Annotated[strawberry.ID, strawberry.argument(description="An id or a name.")],
        depth: Annotated[int | None, strawberry.argument(description="How many edges away, 1 to 10.")] = 1,
        direction: Directions = Direction.BOTH,
        relations: Relations = None,
        min_confidence: Annotated[
            float | None, strawberry.argument(description="Only over edges at least as sure.")
        ] = 0.0,
        first: Annotated[int | None, strawberry.argument(description="How many a direction, 1 to 100.")] = 100,
    ) -> NeighborsResult:
        scope, size = self.scope, check_first(first, 100)
        if not size:
            raise InvalidField("first", "first is 0; it must be 1 to 100.")
        found = await scope.ask(
            fetch_neighbors,
            str(node),
            depth=1 if depth is None else depth,
            direction=walk_of(direction),
            relations=check_relations(relations),
            min_confidence=min_confidence or 0.0,
            limit=size,
        )
        # Both ends of each edge are the centre or were reached before.
        ends = {view.node_id: view for view in (found.center, *(n.node for n in (*found.outgoing, *found.incoming)))}
        return Neighborhood(
            center=make_node(scope, found.center),
            outgoing=[_neighbor(scope, one, ends) for one in found.outgoing],
            incoming=[_neighbor(scope, one, ends) for one in found.incoming],
            truncated=found.truncated,
        )

    @strawberry.field(description="Native shortest path, the same one every time. Ends are ids or names.")
    async def path(
        self,
        from_: Annotated[strawberry.ID, strawberry.argument(name="from", description="Where it begins.")],
        to: Annotated[strawberry.ID, strawberry.argument(description="Where it ends.")],
        max_depth: Annotated[int | None, strawberry.argument(description="The most edges, 1 to 30.")] = 6,
        direction: Annotated[
            Direction | None, strawberry.argument(description="Which way the edges point along the path.")
        ] = Direction.OUTGOING,
        relations: Relations = None,
    ) -> PathResult:
        scope = self.scope
        found = await scope.ask(
            find_path,
            str(from_),
            str(to),
            max_depth=6 if max_depth is None else max_depth,
            direction=walk_of(direction, Direction.OUTGOING),
            relations=check_relations(relations),
        )
        if isinstance(found, answers.NoPath):
            return _no_path(found)
        ends = {view.node_id: view for view in found.nodes}
        return Path(
            nodes=[make_node(scope, view) for view in found.nodes],
            edges=[make_edge(scope, EdgeWithEnds(edge, ends[edge.source], ends[edge.target])) for edge in found.edges],
            length=found.length,
        )

    @strawberry.field(description="The highest-ranked nodes.")
    async def hubs(
        self,
        by: Annotated[Centrality | None, strawberry.argument(description="What makes a hub.")] = Centrality.DEGREE,
        kinds: Annotated[list[str] | None, strawberry.argument(description="Only these kinds.")] = None,
        first: First = 10,
    ) -> HubsResult:
        return await rank_hubs(self.scope, check_first(first, 10), by=by or Centrality.DEGREE, kinds=kinds)

    @strawberry.field(description="Communities (Leiden), largest first.")
    async def communities(self, first: First = 20, after: After = None) -> Connection[Community]:
        scope = self.scope
        space = scope.space("communities")
        place = space.decode(after)
        found = await scope.fetch_communities()

        async def count() -> int:
            return found.count

        return connect_page(
            found.page(check_first(first, 20), place),
            lambda view: Community.of(scope, view),
            space=space,
            after=place,
            count=count,
        )

    @strawberry.field(
        description="Entities that may be one thing under two names, of one kind or of kind `entity`; never code."
    )
    async def duplicates(
        self,
        first: First = 20,
        min_score: Annotated[
            float | None,
            strawberry.argument(description="The least score, over 0, at most 1; 0.8 by rules alone."),
        ] = 0.8,
    ) -> DuplicatesResult:
        return await search_duplicates(self.scope, check_first(first, 20), min_score)

    @strawberry.field(description="A job by its id; null when there is none.")
    async def job(self, id: Annotated[strawberry.ID, strawberry.argument(description="Its id.")]) -> Job | None:
        return await find_job(self.scope, str(id))

    @strawberry.field(description="Jobs, newest first.")
    async def jobs(
        self,
        status: Annotated[JobStatus | None, strawberry.argument(description="Only jobs in this state.")] = None,
        first: First = 20,
        after: After = None,
    ) -> Connection[Job]:
        return await connect_jobs(self.scope, status, first, after)

    @strawberry.field(description="A URL to download from; Cypher that rebuilds the graph to the same hash.")
    async def export(
        self,
        format: Annotated[ExportFormat, strawberry.argument(description="The format.")],
    ) -> ExportResult:
        return await create_export(self.scope, format)


async def search_nodes_of(
    scope: TenantScope,
    query: str,
    first: int,
    *,
    meaning: Meaning,
    mode: answers.SearchMode = answers.SearchMode.HYBRID,
    where: Condition | None = None,
) -> NodeSearchResult:
    """Search a tenant's nodes."""
    found = await scope.ask(
        search_nodes,
        query,
        top_k=max(first, 1),
        where=where,
        mode=mode,
        vector=meaning.vector,
        reranker=meaning.reranker,
    )
    hits = [
        NodeHit(
            node=make_node(scope, hit.node),
            score=hit.score,
            text_rank=hit.text_rank,
            text_score=hit.text_score,
            vector_rank=hit.vector_rank,
            vector_score=hit.vector_score,
            exact_name=hit.exact_name,
        )
        for hit in found.hits[:first]
    ]
    truncated = found.truncated or len(found.hits) > first
    degraded = make_degraded((*found.degraded, *meaning.degraded))
    return NodeSearchResult(hits=hits, truncated=truncated, degraded=degraded)


async def rank_hubs(
    scope: TenantScope, first: int, *, by: Centrality = Centrality.DEGREE, kinds: list[str] | None = None
) -> HubsResult:
    """Rank a tenant's nodes."""
    found = await scope.ask(fetch_hubs, by=answers.Centrality(by.value), kinds=kinds or (), limit=max(first, 1))
    ranked = [RankedNode(node=make_node(scope, one.node), score=one.score) for one in found.nodes[:first]]
    return HubsResult(nodes=ranked, by=by, computed_at=found.computed_at)


async def _find_node(scope: TenantScope, ref: str) -> NodeView | None:
    from graph.errors import NotFound

    try:
        return await scope.ask(get_node, ref)
    except NotFound:
        return None


async def _edge_condition(scope: TenantScope, where: EdgeFilter | None) -> Condition | None:
    """The condition of an edge filter, names of its ends made ids; an unknown end matches no edge."""
    for inner in edge_ends(where):
        for end in ("source", "target"):
            ref = getattr(inner, end)
            found = None if ref is None else await _find_node(scope, str(ref))
            if found is not None:
                setattr(inner, end, strawberry.ID(found.node_id))
    return edge_condition(where)


def _neighbor(scope: TenantScope, found: answers.Neighbor, ends: dict[str, NodeView]) -> Neighbor:
    edge = EdgeWithEnds(found.edge, ends[found.edge.source], ends[found.edge.target])
    return Neighbor(edge=make_edge(scope, edge), node=make_node(scope, found.node), distance=found.distance)


def _no_path(found: answers.NoPath) -> NoPath:
    between = f"from {found.source.node_id} to {found.target.node_id}"
    reason = (
        f"There is no path {between}."
        if found.shortest is None
        else f"The shortest path {between} has {found.shortest} edges: ask with maxDepth {found.shortest} or more."
    )
    return NoPath(reason=reason, searched_depth=found.max_depth)
