"""Where facts come from: documents, their segments, and the mentions in them."""

from datetime import datetime
from typing import Annotated, cast

import strawberry

from api.graphql.connections import Connection, check_first, paginate
from api.graphql.enums import DocumentStatus, Modality
from api.graphql.scope import TenantScope
from graph.answers import DocumentView, Key, MentionView, Page, SegmentView
from graph.errors import NotFound
from graph.support import PageRequest

First = Annotated[int | None, strawberry.argument(description="How many at most, 0 to 100.")]
After = Annotated[str | None, strawberry.argument(description="A cursor of this list: what comes after it.")]
Node = Annotated["Node", strawberry.lazy("api.graphql.nodes")]
Edge = Annotated["Edge", strawberry.lazy("api.graphql.nodes")]


@strawberry.type(description="A file, text or recording that was ingested.")
class Document:
    id: strawberry.ID = strawberry.field(description="Its path, or the id that its caller gave.")
    path: str | None = strawberry.field(description="From the root of what was indexed, with `/`.")
    modality: Modality = strawberry.field(description="What material it is.")
    status: DocumentStatus = strawberry.field(description="How its ingestion ended.")
    reason: str | None = strawberry.field(description="Why it was skipped or failed; null when done.")
    content_hash: str = strawberry.field(description="Hex sha256 of its bytes; empty when they could not be read.")
    ingested_at: datetime = strawberry.field(description="When it was last written.")
    node_count: int = strawberry.field(description="How many nodes it declares.")
    edge_count: int = strawberry.field(description="How many edges it states.")
    scope: strawberry.Private[TenantScope]

    @strawberry.field(description="Its text, piece by piece, in order.")
    async def segments(self, first: First = 20, after: After = None) -> "Connection[Segment]":
        document_id, scope = str(self.id), self.scope
        space = scope.space(f"segments of {document_id}")

        async def fetch(size: int, start: Key | None) -> Page[SegmentView]:
            return await scope.loaders.document_segments.load(PageRequest(document_id, size, start))

        return await paginate(
            fetch,
            lambda view: make_segment(scope, view, self),
            space=space,
            first=first,
            default=20,
            after=after,
            count=lambda: scope.loaders.document_segment_counts.load(document_id),
        )


@strawberry.type(description="A stretch of a document's text.")
class Segment:
    id: strawberry.ID = strawberry.field(description="Unique within the tenant.")
    label: str = strawberry.field(description="Its name within the document: `L12`, `frame_3`.")
    modality: Modality = strawberry.field(description="What material it is.")
    ts_start: float | None = strawberry.field(
        description="Seconds from the start of the recording; null for text and code."
    )
    ts_end: float | None = strawberry.field(description="Where it ends, in seconds; null for text and code.")
    page: int | None = strawberry.field(description="The page that it begins on, from 1; null without pages.")
    heading: str | None = strawberry.field(description="The heading that it begins under; null without one.")
    scope: strawberry.Private[TenantScope]
    document_id: strawberry.Private[str]
    known_document: strawberry.Private[Document | None]

    @strawberry.field(description="Its text, as decoded.")
    async def text(self) -> str:
        return await self.scope.loaders.segment_texts.load(str(self.id))

    @strawberry.field(description="The document that it is a part of.")
    async def document(self) -> Document:
        if self.known_document is not None:
            return self.known_document
        return await load_document(self.scope, self.document_id)

    @strawberry.field(description="The nodes that it mentions, by place.")
    async def entities(self, first: First = 50) -> list[Node]:
        from api.graphql.nodes import make_node

        views = await self.scope.loaders.segment_entities.load(PageRequest(str(self.id), check_first(first, 50)))
        return cast("list[Node]", [make_node(self.scope, view) for view in views])

    @strawberry.field(description="All edges that it states.")
    async def relations(self, first: First = 50) -> list[Edge]:
        return await self._load_edges(first, claims_only=False)

    @strawberry.field(description="Those of its edges that are claims made in words.")
    async def claims(self, first: First = 50) -> list[Edge]:
        return await self._load_edges(first, claims_only=True)

    async def _load_edges(self, first: int | None, *, claims_only: bool) -> list[Edge]:
        from api.graphql.nodes import make_edge

        found = await self.scope.loaders.segment_edges.load((str(self.id), claims_only, check_first(first, 50)))
        return cast("list[Edge]", [make_edge(self.scope, edge) for edge in found])


@strawberry.type(description="A place in a document that supports a node or an edge.")
class Mention:
    id: strawberry.ID = strawberry.field(description="Unique within the tenant.")
    document: Document = strawberry.field(description="The document that it is in.")
    segment: Segment = strawberry.field(description="The segment that it is in.")
    modality: Modality = strawberry.field(description="What material it is.")
    ts_start: float | None = strawberry.field(
        description="Seconds from the start of the recording; null for text and code."
    )
    ts_end: float | None = strawberry.field(description="Where it ends, in seconds; null for text and code.")
    char_start: int | None = strawberry.field(description="Its first character within the segment's text, from 0.")
    char_end: int | None = strawberry.field(description="Where it ends within the segment's text, excluded.")
    evidence_span: str | None = strawberry.field(description="The very words.")
    verified: bool = strawberry.field(
        description="True when the segment's text at [charStart, charEnd) equals the span."
    )
    kind: str | None = strawberry.field(description="What a named thing was taken for here; null for edges and code.")
    term: str | None = strawberry.field(description="The entry of the ontology that a name was found in.")
    valid_from: str | None = strawberry.field(
        description="From when on a claim holds, if its text says so: ISO 8601, to the year, month or day."
    )
    valid_to: str | None = strawberry.field(description="Until when a claim holds, if its text says so; as validFrom.")
    wording: str | None = strawberry.field(description="How a free-form fact was worded; null for all others.")
    description: str | None = strawberry.field(description="A free-form fact in a sentence; null for all others.")


def make_document(scope: TenantScope, view: DocumentView) -> Document:
    """Return a document as shown."""
    return Document(
        id=strawberry.ID(view.document_id),
        path=view.path,
        modality=Modality(view.modality),
        status=DocumentStatus(view.status),
        reason=view.reason,
        content_hash=view.content_hash,
        ingested_at=view.ingested_at,
        node_count=view.nodes,
        edge_count=view.edges,
        scope=scope,
    )


async def load_document(scope: TenantScope, document_id: str) -> Document:
    """Return a document that is known to be there. Raises NotFound when it went in this moment."""
    view = await scope.loaders.documents.load(document_id)
    if view is None:
        raise NotFound(f"There is no document {document_id!r} any more: it was deleted meanwhile.")
    return make_document(scope, view)


def make_segment(scope: TenantScope, view: SegmentView, document: Document | None = None) -> Segment:
    """Return a segment as shown; with `document` when that is at hand."""
    return Segment(
        id=strawberry.ID(view.segment_id),
        label=view.label,
        modality=Modality(view.modality),
        ts_start=view.ts_start,
        ts_end=view.ts_end,
        page=view.page,
        heading=view.heading,
        scope=scope,
        document_id=view.document_id,
        known_document=document,
    )


def make_mention(scope: TenantScope, view: MentionView) -> Mention:
    """Return a mention as shown."""
    document = make_document(scope, view.document)
    return Mention(
        id=strawberry.ID(view.mention_id),
        document=document,
        segment=make_segment(scope, view.segment, document),
        modality=Modality(view.modality),
        ts_start=view.ts_start,
        ts_end=view.ts_end,
        char_start=view.char_start,
        char_end=view.char_end,
        evidence_span=view.evidence_span,
        verified=view.verified,
        kind=view.kind,
        term=view.term,
        valid_from=view.valid_from,
        valid_to=view.valid_to,
        wording=view.wording,
        description=view.description,
    )
