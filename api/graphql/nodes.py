"""Nodes, edges and communities."""

from typing import Annotated, Any

import strawberry

from api.graphql.connections import Connection, check_first, connect_page, paginate
from api.graphql.enums import Direction, Provenance, walk_of
from api.graphql.scope import TenantScope
from api.graphql.sources import After, Document, First, Mention, make_document, make_mention
from graph.answers import EdgeWithEnds, Key, MentionView, NodeView, Page
from graph.communities import CommunityView
from graph.support import EdgesRequest, NeighborsRequest, PageRequest
from graph.vocabulary import relation_type

Relations = Annotated[
    list[str] | None, strawberry.argument(description="Only edges of these relations; null or empty for all.")
]
Directions = Annotated[Direction | None, strawberry.argument(description="Which edges, seen from the node.")]


def check_relations(relations: list[str] | None) -> tuple[str, ...]:
    """Return the relations, each once and sorted. Raises InvalidInput for an unknown one."""
    for relation in relations or ():
        relation_type(relation)
    return tuple(sorted(set(relations or ())))


@strawberry.type(description="Where a symbol of code is defined.")
class SourceLocation:
    path: str = strawberry.field(description="The file, from the root of what was indexed.")
    line_start: int = strawberry.field(description="The first line, from 1.")
    line_end: int = strawberry.field(description="The last line, included.")
    signature: str | None = strawberry.field(description="As written in the source; null where there is none.")


@strawberry.type(description="A thing that the graph speaks of: a person, a class, a place.")
class Node:
    id: strawberry.ID = strawberry.field(description="The same for the same thing in every run.")
    name: str = strawberry.field(description="As it was first spelt.")
    kind: str = strawberry.field(description="What it is: `function`, `person` and so on.")
    description: str = strawberry.field(description="What its sources say of it; may be empty.")
    aliases: list[str] = strawberry.field(description="Other spellings, sorted.")
    scope: strawberry.Private[TenantScope]
    view: strawberry.Private[NodeView]

    @strawberry.field(description="For code: path, line range, signature. Null for all else.")
    def location(self) -> SourceLocation | None:
        view = self.view
        if view.path is None:
            return None
        return SourceLocation(
            path=view.path, line_start=view.line_start or 1, line_end=view.line_end or 1, signature=view.signature
        )

    @strawberry.field(description="The number of its edges; one from the node to itself counts at both ends.")
    async def degree(self, direction: Directions = Direction.BOTH) -> int:
        return await self.scope.loaders.node_degrees.load((self.view.node_id, walk_of(direction)))

    @strawberry.field(description="The community that it belongs to; null for a node without edges.")
    async def community(self) -> "Community | None":
        communities = await self.scope.fetch_communities()
        found = communities.find_of(self.view.node_id)
        view = communities.get(found) if found is not None else None
        return None if view is None else Community.of(self.scope, view)

    @strawberry.field(description="Where it is named, by document and place.")
    async def mentions(self, first: First = 10, after: After = None) -> Connection[Mention]:
        node_id, scope = self.view.node_id, self.scope
        space = scope.space(f"mentions of node {node_id}")

        async def fetch(size: int, start: Key | None) -> Page[MentionView]:
            return await scope.loaders.node_support.load(("mentions", PageRequest(node_id, size, start)))

        return await paginate(
            fetch,
            lambda view: make_mention(scope, view),
            space=space,
            first=first,
            default=10,
            after=after,
            count=lambda: scope.loaders.node_mention_counts.load(node_id),
        )

    @strawberry.field(description="Its edges.")
    async def edges(
        self,
        direction: Directions = Direction.BOTH,
        relations: Relations = None,
        first: First = 20,
        after: After = None,
    ) -> "Connection[Edge]":
        node_id, scope, wanted = self.view.node_id, self.scope, check_relations(relations)
        walk = walk_of(direction)
        space = scope.space(f"edges of {walk} {node_id}")

        async def fetch(size: int, start: Key | None) -> Page[EdgeWithEnds]:
            return await scope.loaders.node_edges.load(EdgesRequest(node_id, walk, wanted, size, start))

        return await paginate(
            fetch,
            lambda edge: make_edge(scope, edge),
            space=space,
            first=first,
            default=20,
            after=after,
            count=lambda: scope.loaders.node_edge_counts.load((node_id, walk, wanted)),
        )

    @strawberry.field(description="The nodes one edge away, each once, by id.")
    async def neighbors(
        self, direction: Directions = Direction.BOTH, relations: Relations = None, first: First = 20
    ) -> "list[Node]":
        size = check_first(first, 20)
        request = NeighborsRequest(self.view.node_id, walk_of(direction), check_relations(relations), size)
        views = await self.scope.loaders.node_neighbors.load(request) if size else ()
        return [make_node(self.scope, view) for view in views]

    @strawberry.field(description="The documents that name it, by id.")
    async def documents(self, first: First = 10) -> list[Document]:
        size = check_first(first, 10)
        if not size:
            return []
        page = await self.scope.loaders.node_support.load(("documents", PageRequest(self.view.node_id, size)))
        return [make_document(self.scope, view) for view in page.items]


@strawberry.type(description="A directed fact between two nodes: `source relation target`.")
class Edge:
    id: strawberry.ID = strawberry.field(description="The same for the same fact in every run.")
    source: Node = strawberry.field(description="Where it begins.")
    target: Node = strawberry.field(description="Where it ends.")
    relation: str = strawberry.field(description="What it says: `calls`, `born_in` and so on.")
    provenance: Provenance = strawberry.field(description="How it is known; the strongest of its mentions.")
    confidence: float = strawberry.field(description="0 to 1.")
    evidence_span: str | None = strawberry.field(
        description="The first mention's span; null when nothing verbatim supports it (an inference)."
    )
    scope: strawberry.Private[TenantScope]

    @strawberry.field(description="Where it is stated, by document and place.")
    async def mentions(self, first: First = 10, after: After = None) -> Connection[Mention]:
        edge_id, scope = str(self.id), self.scope
        space = scope.space(f"mentions of edge {edge_id}")

        async def fetch(size: int, start: Key | None) -> Page[MentionView]:
            return await scope.loaders.edge_mentions.load(PageRequest(edge_id, size, start))

        return await paginate(
            fetch,
            lambda view: make_mention(scope, view),
            space=space,
            first=first,
            default=10,
            after=after,
            count=lambda: scope.loaders.edge_mention_counts.load(edge_id),
        )


@strawberry.type(description="A node with its score in a ranking.")
class RankedNode:
    node: Node = strawberry.field(description="The node.")
    score: float = strawberry.field(description="Higher is better; its scale depends on the ranking.")


@strawberry.type(description="Nodes that are joined more closely with each other than with the rest (Leiden).")
class Community:
    id: strawberry.ID = strawberry.field(description="Changes when its members do.")
    label: str = strawberry.field(description="The name of its best connected member.")
    size: int = strawberry.field(description="The number of its members.")
    scope: strawberry.Private[TenantScope]
    view: strawberry.Private[CommunityView]

    @classmethod
    def of(cls, scope: TenantScope, view: CommunityView) -> "Community":
        """Return a community as shown."""
        return cls(id=strawberry.ID(view.community_id), label=view.label, size=view.size, scope=scope, view=view)

    @strawberry.field(description="Its best connected members, by the number of their edges.")
    async def top_nodes(self, first: First = 5) -> list[RankedNode]:
        ranked = self.view.top_nodes[: check_first(first, 5)]
        views = await self.scope.loaders.nodes.load_many([node_id for node_id, _ in ranked])
        return [
            RankedNode(node=make_node(self.scope, view), score=score)
            for view, (_, score) in zip(views, ranked, strict=True)
            if view is not None
        ]

    @strawberry.field(description="Its members, by id.")
    async def members(self, first: First = 20, after: After = None) -> Connection[Node]:
        scope, view = self.scope, self.view
        space = scope.space(f"members of {view.community_id}")
        place = space.decode(after)
        start = str(place[-1]) if place else ""
        coming = [node_id for node_id in view.members if node_id > start]
        ids = coming[: check_first(first, 20)]
        found = [one for one in await scope.loaders.nodes.load_many(ids) if one is not None]
        page = Page(tuple(found), tuple((one.node_id,) for one in found), has_next=len(coming) > len(ids))

        async def count() -> int:
            return view.size

        return connect_page(page, lambda one: make_node(scope, one), space=space, after=place, count=count)


def make_node(scope: TenantScope, view: NodeView) -> Node:
    """Return a node as shown."""
    return Node(
        id=strawberry.ID(view.node_id),
        name=view.name,
        kind=view.kind,
        description=view.description,
        aliases=list(view.aliases),
        scope=scope,
        view=view,
    )


def make_edge(scope: TenantScope, found: EdgeWithEnds) -> Edge:
    """Return an edge as shown."""
    edge: Any = found.edge
    return Edge(
        id=strawberry.ID(edge.edge_id),
        source=make_node(scope, found.source),
        target=make_node(scope, found.target),
        relation=edge.relation,
        provenance=Provenance(edge.provenance),
        confidence=edge.confidence,
        evidence_span=edge.evidence_span,
        scope=scope,
    )
