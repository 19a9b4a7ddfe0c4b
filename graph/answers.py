"""What reads of the graph return: plain values, ready to be shown or put into JSON."""

from dataclasses import dataclass
from enum import StrEnum


class Direction(StrEnum):
    """Which way edges are followed, seen from the node asked about."""

    OUTGOING = "outgoing"
    INCOMING = "incoming"
    BOTH = "both"


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
    """An edge with the place of its first mention (by path, then line), where it has one."""

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
    """A search hit with its rank (from 1) and BM25 score in the full-text search; None when found by name alone."""

    node: NodeView
    score: float
    text_rank: int | None
    text_score: float | None
    exact_name: bool


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
