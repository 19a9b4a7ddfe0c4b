"""Shortest paths, natively (`SHORTEST`), and three different answers when there is none to show."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from graph.answers import Direction, NodeView, NoPath, Path
from graph.database import Database
from graph.errors import InvalidInput
from graph.lookup import get_node
from graph.statements import load_statement
from graph.views import fetch_edge_views, fetch_node_views
from graph.vocabulary import relation_type

MAX_DEPTH: Final = 30
_TIMEOUT_S: Final = 30.0
# Of several equal paths the smallest by ids is shown; this many are compared.
_COMPARED_PATHS: Final = 1_000


@dataclass(frozen=True, slots=True)
class _PathRow:
    nodes: list[str]
    edges: list[dict[str, str]]


_DIRECTED = load_statement("paths/fetch_directed_paths", _PathRow)
_UNDIRECTED = load_statement("paths/fetch_undirected_paths", _PathRow)


async def find_path(
    database: Database,
    source: str,
    target: str,
    *,
    max_depth: int = 6,
    direction: Direction = Direction.OUTGOING,
    relations: Sequence[str] = (),
) -> Path | NoPath:
    """The shortest path from `source` to `target`, ids or names; the same one every time.

    `direction` says which way the edges point along the path. From a node to itself it is the node alone. NoPath
    tells a path beyond `max_depth` (1 to 30) from none. Raises as `get_node`, and InvalidInput.
    """
    if not 1 <= max_depth <= MAX_DEPTH:
        raise InvalidInput(f"max_depth is {max_depth}; it must be 1 to {MAX_DEPTH}.")
    for relation in relations:
        relation_type(relation)
    start = await get_node(database, source)
    end = await get_node(database, target)
    if start.node_id == end.node_id:
        return Path((start,), ())
    row = await _fetch_shortest(database, start, end, direction, list(relations))
    if row is None:
        return NoPath(start, end, max_depth, shortest=None)
    if len(row.edges) > max_depth:
        return NoPath(start, end, max_depth, shortest=len(row.edges))
    nodes = await fetch_node_views(database, row.nodes)
    edges = await fetch_edge_views(database, row.edges)
    return Path(tuple(nodes[node_id] for node_id in row.nodes), tuple(edges[ref["edge_id"]] for ref in row.edges))


async def _fetch_shortest(
    database: Database, start: NodeView, end: NodeView, direction: Direction, relations: list[str]
) -> _PathRow | None:
    first, last = (end, start) if direction is Direction.INCOMING else (start, end)
    rows = await database.fetch(
        _UNDIRECTED if direction is Direction.BOTH else _DIRECTED,
        timeout_s=_TIMEOUT_S,
        source=first.node_id,
        target=last.node_id,
        relations=relations,
        limit=_COMPARED_PATHS,
    )
    if not rows:
        return None
    best = min(rows, key=lambda row: (row.nodes, [ref["edge_id"] for ref in row.edges]))
    if direction is Direction.INCOMING:
        return _PathRow(best.nodes[::-1], best.edges[::-1])
    return best
