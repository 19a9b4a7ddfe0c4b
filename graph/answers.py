"""What reads of the graph return: plain values, ready to be shown or put into JSON."""

from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import StrEnum
from typing import Generic, TypeVar

_Item = TypeVar("_Item")

Key = tuple[str | int | float, ...]
"""Where an item stands in an ordered list: its sort values, the last one its id."""


class Direction(StrEnum):
    """Which way edges are followed, seen from the node asked about."""

    OUTGOING = "outgoing"
    INCOMING = "incoming"
    BOTH = "both"


class Centrality(StrEnum):
    """What makes a node a hub."""

    DEGREE = "degree"
    PAGERANK = "pagerank"
    BETWEENNESS = "betweenness"


class SearchMode(StrEnum):
    """What a search compares: words and meaning, or one of them."""

    HYBRID = "hybrid"
    TEXT = "text"
    VECTOR = "vector"


class ExportFormat(StrEnum):
    """What a graph can be exported as."""

    CYPHER = "cypher"
    GRAPHML = "graphml"
    JSON = "json"


@dataclass(frozen=True, slots=True)
class NodeView:
    """A node as shown to people. `aliases` are sorted; lines count from 1, both ends included."""

    node_id: str
    name: str
    kind: str
    description: str
    aliases: tuple[str, ...]
    path: str | None
    line_start: int | None
    line_end: int | None
    signature: str | None


@dataclass(frozen=True, slots=True)
class EdgeView:
    """An edge with the place of its first mention: verified ones first, then by path and line.

    `evidence_span` is None when nothing verbatim supports it.
    """

    edge_id: str
    source: str
    target: str
    relation: str
    provenance: str
    confidence: float
    mentions: int
    path: str | None
    line: int | None
    evidence_span: str | None


@dataclass(frozen=True, slots=True)
class Count:
    """How many there are of one kind, relation or reason."""

    name: str
    count: int


@dataclass(frozen=True, slots=True)
class GraphStats:
    """The size of a tenant's graph. Counts by kind, relation and reason are largest first."""

    documents: int
    failed_documents: int
    nodes: int
    edges: int
    mentions: int
    unresolved: int
    nodes_by_kind: tuple[Count, ...]
    edges_by_relation: tuple[Count, ...]
    unresolved_by_reason: tuple[Count, ...]


@dataclass(frozen=True, slots=True)
class Degradation:
    """A part that an answer did without, and why."""

    part: str
    reason: str


@dataclass(frozen=True, slots=True)
class NodeHit:
    """A search hit with its ranks (from 1) and scores; None where words, or meaning, did not find it.

    `score` is comparable within one answer only: BM25 of words alone, the similarity of meaning alone, the fused
    score of both. `text_score` is BM25, `vector_score` the similarity from 0 to 1.
    """

    node: NodeView
    score: float
    text_rank: int | None
    text_score: float | None
    exact_name: bool
    vector_rank: int | None = None
    vector_score: float | None = None


@dataclass(frozen=True, slots=True)
class SearchResult:
    """Hits, best first; exact names before all others."""

    hits: tuple[NodeHit, ...]
    truncated: bool
    degraded: tuple[Degradation, ...]


@dataclass(frozen=True, slots=True)
class Neighbor:
    """A node within reach and the edge by which it was first reached. `distance` counts edges from the centre."""

    node: NodeView
    edge: EdgeView
    distance: int


@dataclass(frozen=True, slots=True)
class Neighborhood:
    """What lies around a node, each node once a direction, nearest first."""

    center: NodeView
    outgoing: tuple[Neighbor, ...]
    incoming: tuple[Neighbor, ...]
    truncated: bool


@dataclass(frozen=True, slots=True)
class Path:
    """A shortest path. `edges[i]` joins `nodes[i]` and `nodes[i + 1]`, in its own direction."""

    nodes: tuple[NodeView, ...]
    edges: tuple[EdgeView, ...]

    @property
    def length(self) -> int:
        """The number of edges."""
        return len(self.edges)


@dataclass(frozen=True, slots=True)
class NoPath:
    """Why there is no path to show: none at all (`shortest` is None), or only a longer one of `shortest` edges."""

    source: NodeView
    target: NodeView
    max_depth: int
    shortest: int | None


@dataclass(frozen=True, slots=True)
class RankedNode:
    """A node with its score in a ranking."""

    node: NodeView
    score: float


@dataclass(frozen=True, slots=True)
class Hubs:
    """The highest-ranked nodes, best first; ties in the order of their ids."""

    nodes: tuple[RankedNode, ...]
    by: str
    computed_at: datetime = field(default_factory=lambda: datetime.now(UTC), compare=False)


@dataclass(frozen=True, slots=True)
class Page(Generic[_Item]):
    """Consecutive items of an ordered list; `keys[i]` is where `items[i]` stands, to go on from there."""

    items: tuple[_Item, ...]
    keys: tuple[Key, ...]
    has_next: bool


@dataclass(frozen=True, slots=True)
class EdgeWithEnds:
    """An edge with both of its nodes."""

    edge: EdgeView
    source: NodeView
    target: NodeView


@dataclass(frozen=True, slots=True)
class DocumentView:
    """A document as stored. `nodes`, `edges` and `mentions` count what it states."""

    document_id: str
    path: str | None
    modality: str
    status: str
    reason: str | None
    language: str | None
    content_hash: str
    ingested_at: datetime
    nodes: int
    edges: int
    mentions: int


@dataclass(frozen=True, slots=True)
class SegmentView:
    """A segment without its text. Times are seconds from the start of a recording, None for text and code."""

    segment_id: str
    document_id: str
    label: str
    ordinal: int
    modality: str
    char_offset: int
    line_start: int
    ts_start: float | None
    ts_end: float | None
    page: int | None = None
    heading: str | None = None


@dataclass(frozen=True, slots=True)
class MentionView:
    """A place that supports a node or an edge. Characters count within the segment's text, the end excluded.

    `kind` is what a named thing was taken for here, `term` the entry of an ontology that it was found in. A claim may
    have dates between which it holds; a free one has its wording and a sentence that says it.
    """

    mention_id: str
    document: DocumentView
    segment: SegmentView
    modality: str
    ts_start: float | None
    ts_end: float | None
    char_start: int | None
    char_end: int | None
    line_start: int | None
    line_end: int | None
    evidence_span: str | None
    verified: bool
    kind: str | None = None
    term: str | None = None
    valid_from: str | None = None
    valid_to: str | None = None
    wording: str | None = None
    description: str | None = None


@dataclass(frozen=True, slots=True)
class SegmentHit:
    """A segment found by a search, with ranks and scores as a NodeHit has them."""

    segment: SegmentView
    score: float
    text_rank: int | None
    text_score: float | None = None
    vector_rank: int | None = None
    vector_score: float | None = None


@dataclass(frozen=True, slots=True)
class SegmentSearchResult:
    """Segments, best first."""

    hits: tuple[SegmentHit, ...]
    truncated: bool
    degraded: tuple[Degradation, ...]


@dataclass(frozen=True, slots=True)
class TenantView:
    """A tenant as its owner sees it."""

    tenant_id: str
    display_name: str
    state: str
    created_at: datetime
