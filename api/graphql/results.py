"""What questions to a tenant's graph return."""

from datetime import datetime
from typing import Annotated

import strawberry

from api.graphql.enums import Centrality
from api.graphql.errors import Problem
from api.graphql.nodes import Edge, Node, RankedNode
from api.graphql.sources import Segment
from graph import answers


@strawberry.type(description="A part that an answer did without, and why.")
class Degradation:
    part: str = strawberry.field(description="What is missing.")
    reason: str = strawberry.field(description="Why, and what would bring it.")


@strawberry.type(description="A node found by a search.")
class NodeHit:
    node: Node = strawberry.field(description="The node.")
    score: float = strawberry.field(description="Higher is better; comparable within one answer only.")
    text_rank: int | None = strawberry.field(description="Its rank by words, from 1; null when words didn't find it.")
    text_score: float | None = strawberry.field(description="Its BM25 score.")
    vector_rank: int | None = strawberry.field(
        description="Its rank by meaning, from 1; null when that didn't find it."
    )
    vector_score: float | None = strawberry.field(description="Its similarity, 0 to 1.")
    exact_name: bool = strawberry.field(description="Whether the query is its name, case and spacing aside.")


@strawberry.type(description="Nodes found by a search, best first; exact names before all others.")
class NodeSearchResult:
    hits: list[NodeHit] = strawberry.field(description="The hits.")
    truncated: bool = strawberry.field(description="Whether there are more.")
    degraded: list[Degradation] = strawberry.field(description="What the search did without.")


@strawberry.type(description="A segment found by a search.")
class SegmentHit:
    segment: Segment = strawberry.field(description="The segment.")
    score: float = strawberry.field(description="Higher is better; comparable within one answer only.")
    text_rank: int | None = strawberry.field(description="Its rank by words, from 1; null when words didn't find it.")
    vector_rank: int | None = strawberry.field(
        description="Its rank by meaning, from 1; null when that didn't find it."
    )


@strawberry.type(description="Segments found by a search, best first.")
class SegmentSearchResult:
    hits: list[SegmentHit] = strawberry.field(description="The hits.")
    truncated: bool = strawberry.field(description="Whether there are more.")
    degraded: list[Degradation] = strawberry.field(description="What the search did without.")


@strawberry.type(description="A node within reach, and the edge by which it was reached first.")
class Neighbor:
    edge: Edge = strawberry.field(description="The edge.")
    node: Node = strawberry.field(description="The node.")
    distance: int = strawberry.field(description="In edges from the centre.")


@strawberry.type(description="What lies around a node, nearest first.")
class Neighborhood:
    center: Node = strawberry.field(description="The node that was asked about.")
    outgoing: list[Neighbor] = strawberry.field(description="Along the edges' direction.")
    incoming: list[Neighbor] = strawberry.field(description="Against it.")
    truncated: bool = strawberry.field(description="Whether there is more within the depth asked for.")


NeighborsResult = Annotated[
    Neighborhood | Problem, strawberry.union("NeighborsResult", description="A neighbourhood, or what went wrong.")
]


@strawberry.type(description="A shortest path.")
class Path:
    nodes: list[Node] = strawberry.field(description="From the first to the last.")
    edges: list[Edge] = strawberry.field(description="`edges[i]` joins `nodes[i]` and `nodes[i + 1]`.")
    length: int = strawberry.field(description="The number of edges.")


@strawberry.type(description="Why there is no path to show.")
class NoPath:
    reason: str = strawberry.field(description="None at all, or only a longer one.")
    searched_depth: int = strawberry.field(description="The most edges that were allowed.")


PathResult = Annotated[
    Path | NoPath | Problem,
    strawberry.union("PathResult", description="A path, why there is none, or what went wrong."),
]


@strawberry.type(description="The highest-ranked nodes, best first; ties in the order of their ids.")
class HubsResult:
    nodes: list[RankedNode] = strawberry.field(description="The hubs.")
    by: Centrality = strawberry.field(description="What they were ranked by.")
    computed_at: datetime = strawberry.field(description="When.")


@strawberry.type(description="How many nodes there are of a kind.")
class KindCount:
    kind: str = strawberry.field(description="The kind.")
    count: int = strawberry.field(description="How many.")


@strawberry.type(description="How many edges there are of a relation.")
class RelationCount:
    relation: str = strawberry.field(description="The relation.")
    count: int = strawberry.field(description="How many.")


def make_degraded(parts: tuple[answers.Degradation, ...]) -> list[Degradation]:
    """Return what an answer did without, as shown."""
    return [Degradation(part=part.part, reason=part.reason) for part in parts]
