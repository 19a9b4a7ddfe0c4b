"""Rankings computed by Neo4j Graph Data Science on a projection of the tenant's graph."""

import asyncio
import uuid
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal

from graph.answers import Centrality, Hubs, RankedNode
from graph.backends.base import Endpoint
from graph.database import Database, without_deadline
from graph.errors import DatabaseFailed, InvalidInput, NotAvailable
from graph.statements import Statement, load_statement
from graph.views import NodeRow
from graph.vocabulary import RELATION_TYPES, kind_label

if TYPE_CHECKING:
    from graphdatascience import GraphDataScience

MAX_LIMIT: Final = 1_000
MAX_BETWEENNESS_STEPS: Final = 20_000_000
"""Edges and nodes that betweenness may walk over, some seconds' work of one processor."""

_MIN_SOURCES: Final = 16
Orientation = Literal["NATURAL", "UNDIRECTED"]


@dataclass(frozen=True, slots=True)
class Projection:
    """A graph in the memory of Graph Data Science. An undirected relationship counts twice."""

    name: str
    nodes: int
    relationships: int


@dataclass(frozen=True, slots=True)
class ProjectedRow:
    """The size of a projection as statements return it; None when there was nothing to project."""

    nodes: int | None
    relationships: int | None


@dataclass(frozen=True, slots=True)
class _RankedRow(NodeRow):
    score: float


@dataclass(frozen=True, slots=True)
class _TypeRow:
    type: str


@dataclass(frozen=True, slots=True)
class _Dropped:
    graph: str


_BY_DEGREE = load_statement("analytics/rank_by_degree", _RankedRow)
_BY_PAGERANK = load_statement("analytics/rank_by_pagerank", _RankedRow)
_BY_BETWEENNESS = load_statement("analytics/rank_by_betweenness", _RankedRow)
_BY_SAMPLED_BETWEENNESS = load_statement("analytics/sample_betweenness", _RankedRow)
_PROJECT_DIRECTED = load_statement("analytics/project_directed", ProjectedRow)
_PROJECT_SHUFFLED = load_statement("analytics/project_shuffled", ProjectedRow)
_DROP = load_statement("analytics/drop_projection", _Dropped)
_TYPES = load_statement("analytics/fetch_relationship_types", _TypeRow)


async def fetch_hubs(
    database: Database, *, by: Centrality = Centrality.DEGREE, kinds: Sequence[str] = (), limit: int = 10
) -> Hubs:
    """The highest-ranked nodes of the whole graph, those of `kinds` when given; equal scores in the order of ids.

    DEGREE is the number of edges, in and out. PAGERANK follows edges from source to target, self-loops aside, with a
    damping factor of 0.85. BETWEENNESS is the number of pairs of nodes whose shortest paths, in either direction of
    each edge, lead through the node, shared out between equally short ones. Where nodes × (nodes + 2 × edges) is more
    than 20 million (from about 1,700 nodes with three edges each) it is an estimate from the paths of a fixed sample of
    nodes, well connected ones preferred, and the more edges, the fewer of them. Nodes without a score are left out.

    Raises InvalidInput for an unknown kind or a limit outside 1 to 1,000, NotAvailable without GDS.
    """
    if not 1 <= limit <= MAX_LIMIT:
        raise InvalidInput(f"limit is {limit}; it must be 1 to {MAX_LIMIT:,}.")
    for kind in kinds:
        kind_label(kind)
    present = {row.type for row in await database.fetch(_TYPES)}
    types = sorted(present & set(RELATION_TYPES.values()))
    rows = await _rank(database, by, types, kinds=list(kinds), limit=limit) if types else []
    return Hubs(tuple(RankedNode(row.view(), row.score) for row in rows), by=by)


async def _rank(
    database: Database, by: Centrality, types: list[str], *, kinds: list[str], limit: int
) -> list[_RankedRow]:
    if by is Centrality.PAGERANK:
        async with project(database, _PROJECT_DIRECTED) as found:
            return [] if found is None else await _run(database, _BY_PAGERANK, found, kinds=kinds, limit=limit)
    if by is Centrality.DEGREE:
        async with _project_types(database, types, "NATURAL") as graph:
            return await _run(database, _BY_DEGREE, graph, kinds=kinds, limit=limit)
    async with _project_types(database, types, "UNDIRECTED") as graph:
        sources = _affordable_sources(graph)
        if sources == graph.nodes:
            return await _run(database, _BY_BETWEENNESS, graph, kinds=kinds, limit=limit)
    return await _sample_betweenness(database, sources, kinds=kinds, limit=limit)


async def _run(
    database: Database, statement: Statement[_RankedRow], graph: Projection, **params: object
) -> list[_RankedRow]:
    return await database.fetch(statement, timeout_s=None, graph=graph.name, **params)


def _affordable_sources(graph: Projection) -> int:
    """The number of nodes whose shortest paths to all others may be walked."""
    each = max(1, graph.nodes + graph.relationships)
    return min(graph.nodes, max(_MIN_SOURCES, MAX_BETWEENNESS_STEPS // each))


async def _sample_betweenness(database: Database, sources: int, *, kinds: list[str], limit: int) -> list[_RankedRow]:
    async with project(database, _PROJECT_SHUFFLED) as graph:
        if graph is None:
            return []
        taken = min(sources, graph.nodes)
        scale = graph.nodes / taken
        return await _run(
            database, _BY_SAMPLED_BETWEENNESS, graph, kinds=kinds, limit=limit, sources=taken, scale=scale
        )


@asynccontextmanager
async def project(database: Database, statement: Statement[ProjectedRow]) -> AsyncGenerator[Projection | None]:
    """Project what a statement with the parameter `graph` selects, and forget it at the end; None for nothing.

    Raises NotAvailable without GDS.
    """
    name = _projection_name()
    try:
        row = await database.find(statement, graph=name)
        if row is None or row.nodes is None or row.relationships is None:
            yield None
        else:
            yield Projection(name, row.nodes, row.relationships)
    except DatabaseFailed as exc:
        if "Unknown function 'gds" not in str(exc):
            raise
        raise NotAvailable(f"Graph Data Science is not on this server: {exc}") from exc
    finally:
        # Also when time is over: what is projected would stay in the server's memory.
        with without_deadline():
            await database.fetch(_DROP, graph=name)


@asynccontextmanager
async def _project_types(database: Database, types: list[str], orientation: Orientation) -> AsyncGenerator[Projection]:
    shape = {native: {"orientation": orientation} for native in types}
    opening = asyncio.create_task(asyncio.to_thread(_project_native, database.endpoint, shape))
    try:
        _, graph = await asyncio.shield(opening)
        yield graph
    finally:
        # A thread can't be cancelled: when time is over, what it has made by then must still be taken away.
        await asyncio.wait([opening])
        if not opening.cancelled() and opening.exception() is None:
            await asyncio.to_thread(_forget, *opening.result())


def _project_native(endpoint: Endpoint, shape: dict[str, Any]) -> "tuple[GraphDataScience, Projection]":
    client = _open_client(endpoint)
    try:
        name = _projection_name()
        result = client.graph.project.native(name, "Node", shape, log_progress=False).result
    except BaseException:
        client.close()
        raise
    return client, Projection(name, result.node_count, result.relationship_count)


def _forget(client: "GraphDataScience", graph: Projection) -> None:
    try:
        client.graph.drop(graph.name, fail_if_missing=False)
    finally:
        client.close()


def _projection_name() -> str:
    # A name of its own for each call: two callers at once don't meet, and none sees another's stale projection.
    return f"cogniverse-{uuid.uuid4().hex}"


def _open_client(endpoint: Endpoint) -> "GraphDataScience":
    from graphdatascience import GraphDataScience

    try:
        return GraphDataScience(
            endpoint.uri,
            auth=(endpoint.user, endpoint.password),
            aura_ds=False,
            database=endpoint.database,
            arrow=False,
            show_progress=False,
        )
    except Exception as exc:
        raise NotAvailable(f"Graph Data Science does not answer on this server: {exc}") from exc
