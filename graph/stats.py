"""The size of a tenant's graph."""

from dataclasses import dataclass

from graph.answers import Count, GraphStats
from graph.database import Database
from graph.statements import load_statement


@dataclass(frozen=True, slots=True)
class _Totals:
    documents: int
    failed_documents: int
    mentions: int


_TOTALS = load_statement("statistics/get_totals", _Totals)
_NODES = load_statement("statistics/count_nodes_by_kind", Count)
_EDGES = load_statement("statistics/count_edges_by_relation", Count)
_UNRESOLVED = load_statement("statistics/count_unresolved_by_reason", Count)


async def get_stats(database: Database) -> GraphStats:
    """Count what there is; four statements, the longest linear in the number of edges."""
    totals = (await database.fetch(_TOTALS))[0]
    nodes = await database.fetch(_NODES)
    edges = await database.fetch(_EDGES)
    unresolved = await database.fetch(_UNRESOLVED)
    return GraphStats(
        documents=totals.documents,
        failed_documents=totals.failed_documents,
        nodes=_total(nodes),
        edges=_total(edges),
        mentions=totals.mentions,
        unresolved=_total(unresolved),
        nodes_by_kind=tuple(nodes),
        edges_by_relation=tuple(edges),
        unresolved_by_reason=tuple(unresolved),
    )


def _total(counts: list[Count]) -> int:
    return sum(count.count for count in counts)
