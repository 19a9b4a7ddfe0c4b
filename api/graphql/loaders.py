"""Loaders of one request and one tenant: what many fields ask for goes out as one statement.

Each batch answers in the order of its keys; a parent that is not there has an empty page.
"""

from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Generic, TypeVar

from aiodataloader import DataLoader

from api.observability.tracing import span
from graph import support
from graph.answers import Direction, DocumentView, EdgeWithEnds, MentionView, NodeView, Page, SegmentView
from graph.database import Database
from graph.support import EdgesRequest, NeighborsRequest, PageRequest
from graph.views import fetch_node_views

_Key = TypeVar("_Key")
_Value = TypeVar("_Value")

OpenDatabase = Callable[[], Awaitable[Database]]
DegreeKey = tuple[str, Direction]
EdgeCountKey = tuple[str, Direction, tuple[str, ...]]
SegmentEdgesKey = tuple[str, bool, int]
SupportKey = tuple[str, PageRequest]


class _Loader(DataLoader[_Key, _Value], Generic[_Key, _Value]):
    """A loader over one tenant's database, which is opened by the first batch that needs it."""

    def __init__(self, open_database: OpenDatabase) -> None:
        super().__init__()
        self._open = open_database

    async def batch_load_fn(self, keys: list[_Key]) -> list[Any]:
        """Load one batch."""
        with span(f"loader {type(self).__name__}", keys=len(keys)):
            return await self._fetch(await self._open(), keys)

    async def _fetch(self, database: Database, keys: Sequence[_Key]) -> list[Any]:
        raise NotImplementedError


class NodeByIdLoader(_Loader[str, NodeView | None]):
    """Nodes by id; None when not there."""

    async def _fetch(self, database: Database, keys: Sequence[str]) -> list[NodeView | None]:
        found = await fetch_node_views(database, keys)
        return [found.get(key) for key in keys]


class DocumentByIdLoader(_Loader[str, DocumentView | None]):
    """Documents by id; None when not there."""

    async def _fetch(self, database: Database, keys: Sequence[str]) -> list[DocumentView | None]:
        found = await support.fetch_document_views(database, keys)
        return [found.get(key) for key in keys]


class SegmentTextByIdLoader(_Loader[str, str]):
    """The texts of segments; empty when gone meanwhile."""

    async def _fetch(self, database: Database, keys: Sequence[str]) -> list[str]:
        found = await support.fetch_segment_texts(database, keys)
        return [found.get(key, "") for key in keys]


class SupportByNodeLoader(_Loader[SupportKey, Page[Any]]):
    """Mentions ("mentions", request) and documents ("documents", request) of nodes, both in one statement."""

    async def _fetch(self, database: Database, keys: Sequence[SupportKey]) -> list[Page[Any]]:
        wanted = {what: [request for kind, request in keys if kind == what] for what in ("mentions", "documents")}
        mentions, documents = await support.fetch_node_support(database, wanted["mentions"], wanted["documents"])
        return [mentions[request] if what == "mentions" else documents[request] for what, request in keys]


class MentionsByEdgeLoader(_Loader[PageRequest, Page[MentionView]]):
    """Mentions of edges."""

    async def _fetch(self, database: Database, keys: Sequence[PageRequest]) -> list[Page[MentionView]]:
        found = await support.fetch_edge_mentions(database, keys)
        return [found[key] for key in keys]


class EdgesByNodeLoader(_Loader[EdgesRequest, Page[EdgeWithEnds]]):
    """Edges at nodes, with both ends."""

    async def _fetch(self, database: Database, keys: Sequence[EdgesRequest]) -> list[Page[EdgeWithEnds]]:
        found = await support.fetch_node_edges(database, keys)
        return [found[key] for key in keys]


class NeighborsByNodeLoader(_Loader[NeighborsRequest, tuple[NodeView, ...]]):
    """Nodes one edge away."""

    async def _fetch(self, database: Database, keys: Sequence[NeighborsRequest]) -> list[tuple[NodeView, ...]]:
        found = await support.fetch_node_neighbors(database, keys)
        return [found[key] for key in keys]


class SegmentsByDocumentLoader(_Loader[PageRequest, Page[SegmentView]]):
    """Segments of documents."""

    async def _fetch(self, database: Database, keys: Sequence[PageRequest]) -> list[Page[SegmentView]]:
        found = await support.fetch_document_segments(database, keys)
        return [found[key] for key in keys]


class EntitiesBySegmentLoader(_Loader[PageRequest, tuple[NodeView, ...]]):
    """Nodes that segments mention."""

    async def _fetch(self, database: Database, keys: Sequence[PageRequest]) -> list[tuple[NodeView, ...]]:
        found = await support.fetch_segment_entities(database, keys)
        return [found[key] for key in keys]


class EdgesBySegmentLoader(_Loader[SegmentEdgesKey, tuple[EdgeWithEnds, ...]]):
    """Edges that segments state, by (segment, claims only, first)."""

    async def _fetch(self, database: Database, keys: Sequence[SegmentEdgesKey]) -> list[tuple[EdgeWithEnds, ...]]:
        found = await support.fetch_segment_edges(database, keys)
        return [found[key] for key in keys]


class MentionCountByNodeLoader(_Loader[str, int]):
    """How many mentions nodes have."""

    async def _fetch(self, database: Database, keys: Sequence[str]) -> list[int]:
        found = await support.count_node_mentions(database, keys)
        return [found.get(key, 0) for key in keys]


class MentionCountByEdgeLoader(_Loader[str, int]):
    """How many mentions edges have."""

    async def _fetch(self, database: Database, keys: Sequence[str]) -> list[int]:
        found = await support.count_edge_mentions(database, keys)
        return [found.get(key, 0) for key in keys]


class EdgeCountByNodeLoader(_Loader[EdgeCountKey, int]):
    """How many edges nodes have, by (node, direction, relations)."""

    async def _fetch(self, database: Database, keys: Sequence[EdgeCountKey]) -> list[int]:
        found = await support.count_node_edges(database, keys)
        return [found.get(key, 0) for key in keys]


class DegreeByNodeLoader(_Loader[DegreeKey, int]):
    """Degrees of nodes, by (node, direction)."""

    async def _fetch(self, database: Database, keys: Sequence[DegreeKey]) -> list[int]:
        found = await support.count_node_degrees(database, keys)
        return [found.get(key, 0) for key in keys]


class SegmentCountByDocumentLoader(_Loader[str, int]):
    """How many segments documents have."""

    async def _fetch(self, database: Database, keys: Sequence[str]) -> list[int]:
        found = await support.count_document_segments(database, keys)
        return [found.get(key, 0) for key in keys]


class Loaders:
    """All loaders of one request and tenant; those that nobody asks cost nothing but their making."""

    def __init__(self, open_database: OpenDatabase) -> None:
        self.nodes = NodeByIdLoader(open_database)
        self.documents = DocumentByIdLoader(open_database)
        self.segment_texts = SegmentTextByIdLoader(open_database)
        self.node_support = SupportByNodeLoader(open_database)
        self.edge_mentions = MentionsByEdgeLoader(open_database)
        self.node_edges = EdgesByNodeLoader(open_database)
        self.node_neighbors = NeighborsByNodeLoader(open_database)
        self.document_segments = SegmentsByDocumentLoader(open_database)
        self.segment_entities = EntitiesBySegmentLoader(open_database)
        self.segment_edges = EdgesBySegmentLoader(open_database)
        self.node_mention_counts = MentionCountByNodeLoader(open_database)
        self.edge_mention_counts = MentionCountByEdgeLoader(open_database)
        self.node_edge_counts = EdgeCountByNodeLoader(open_database)
        self.node_degrees = DegreeByNodeLoader(open_database)
        self.document_segment_counts = SegmentCountByDocumentLoader(open_database)
