"""What lies around a node, by a breadth-first walk of one statement a step."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from graph.answers import Direction, Neighbor, Neighborhood
from graph.database import Database
from graph.errors import InvalidInput
from graph.lookup import get_node
from graph.statements import Statement, load_statement
from graph.views import fetch_edge_views, fetch_node_views
from graph.vocabulary import relation_type

MAX_DEPTH: Final = 10
MAX_LIMIT: Final = 1_000
_TIMEOUT_S: Final = 30.0


@dataclass(frozen=True, slots=True)
class _Step:
    reached: str
    source: str
    target: str
    edge_id: str


@dataclass(frozen=True, slots=True)
class _Steps:
    steps: list[dict[str, str]]


_OUTGOING = load_statement("edges/expand_outgoing", _Steps)
_INCOMING = load_statement("edges/expand_incoming", _Steps)


async def fetch_neighbors(
    database: Database,
    ref: str,
    *,
    depth: int = 1,
    direction: Direction = Direction.BOTH,
    relations: Sequence[str] = (),
    min_confidence: float = 0.0,
    limit: int = 100,
) -> Neighborhood:
    """Up to `limit` neighbours in each direction, within `depth` edges, nearest first, then by id.

    Only edges of `relations`, all when empty, and of at least `min_confidence` are walked.

    A node comes once for each relation that reaches it first; the centre itself only where an edge joins it to
    itself. Raises InvalidInput for an unknown relation, a depth outside 1 to 10 or a limit outside 1 to 1,000;
    NotFound and AmbiguousName as `get_node`.
    """
    _check(depth, limit, relations, min_confidence)
    center = await get_node(database, ref)
    outgoing, more_out = [], False
    incoming, more_in = [], False
    walk = _Walk(database, depth, list(relations), min_confidence, limit)
    if direction in (Direction.OUTGOING, Direction.BOTH):
        outgoing, more_out = await walk.run(_OUTGOING, center.node_id)
    if direction in (Direction.INCOMING, Direction.BOTH):
        incoming, more_in = await walk.run(_INCOMING, center.node_id)
    found_out, found_in = await _with_views(database, outgoing, incoming)
    return Neighborhood(center, found_out, found_in, truncated=more_out or more_in)


def _check(depth: int, limit: int, relations: Sequence[str], min_confidence: float) -> None:
    if not 1 <= depth <= MAX_DEPTH:
        raise InvalidInput(f"depth is {depth}; it must be 1 to {MAX_DEPTH}.")
    if not 1 <= limit <= MAX_LIMIT:
        raise InvalidInput(f"limit is {limit}; it must be 1 to {MAX_LIMIT:,}.")
    if not 0.0 <= min_confidence <= 1.0:
        raise InvalidInput(f"min_confidence is {min_confidence}; it must be 0 to 1.")
    for relation in relations:
        relation_type(relation)


@dataclass(frozen=True, slots=True)
class _Walk:
    """How a neighbourhood is walked, in either direction."""

    database: Database
    depth: int
    relations: list[str]
    min_confidence: float
    limit: int

    async def run(self, statement: Statement[_Steps], start: str) -> tuple[list[tuple[_Step, int]], bool]:
        """The steps with their distances, and whether there are more."""
        found: list[tuple[_Step, int]] = []
        seen: set[str] = set()
        frontier = [start]
        for distance in range(1, self.depth + 1):
            room = self.limit - len(found)
            (row,) = await self.database.fetch(
                statement,
                timeout_s=_TIMEOUT_S,
                node_ids=frontier,
                relations=self.relations,
                min_confidence=self.min_confidence,
                seen=sorted(seen),
                limit=room + 1,
            )
            steps = [_Step(**step) for step in row.steps]
            found.extend((step, distance) for step in steps[:room])
            if len(steps) > room:
                return found, True
            seen |= {start, *(step.reached for step in steps)}
            frontier = sorted({step.reached for step in steps} - {start})
            if not frontier:
                break
        return found, False


async def _with_views(
    database: Database, outgoing: list[tuple[_Step, int]], incoming: list[tuple[_Step, int]]
) -> tuple[tuple[Neighbor, ...], tuple[Neighbor, ...]]:
    steps = [step for step, _ in (*outgoing, *incoming)]
    nodes = await fetch_node_views(database, (step.reached for step in steps))
    edges = await fetch_edge_views(
        database, ({"edge_id": step.edge_id, "source": step.source, "target": step.target} for step in steps)
    )

    def neighbors(walked: list[tuple[_Step, int]]) -> tuple[Neighbor, ...]:
        # A node that went between two statements is left out rather than shown half.
        return tuple(
            Neighbor(nodes[step.reached], edges[step.edge_id], distance)
            for step, distance in walked
            if step.reached in nodes and step.edge_id in edges
        )

    return neighbors(outgoing), neighbors(incoming)
