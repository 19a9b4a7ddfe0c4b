"""The steps that every write is made of, whoever writes: locks first, then facts, then what has lost its support.

All that a transaction is about to touch is locked first and in one order: documents, groups of merged nodes, nodes.
Two writers then wait for one another instead of deadlocking, and neither finds an edge missing that the other is about
to write.
"""

from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Final, TypeVar

from graph.database import Transaction
from graph.rows import PROVENANCES, Row
from graph.statements import Nothing, load_statement

_Item = TypeVar("_Item")

ROWS_PER_STATEMENT: Final = 5_000
"""Rows of one UNWIND; throughput is flat from 1,000 on."""


@dataclass(frozen=True, slots=True)
class NodeRef:
    """A node by its id."""

    node_id: str


@dataclass(frozen=True, slots=True)
class EdgeRef:
    """An edge by its id and ends, by which it is found."""

    edge_id: str
    source: str
    target: str


@dataclass(frozen=True, slots=True)
class Removed:
    """How many nodes and edges went because nothing supports them any longer."""

    nodes: int
    edges: int


@dataclass(frozen=True, slots=True)
class _Gone:
    gone: int


@dataclass(slots=True)
class Affected:
    """Nodes that may have lost their last support, and edges whose mentions have changed, by id."""

    nodes: set[str]
    edges: dict[str, Row]

    def add_edges(self, edges: Iterable[EdgeRef]) -> None:
        """Add edges."""
        for edge in edges:
            self.edges[edge.edge_id] = {"edge_id": edge.edge_id, "source": edge.source, "target": edge.target}


_MENTIONED_NODES = load_statement("documents/fetch_mentioned_nodes", NodeRef)
_MENTIONED_EDGES = load_statement("documents/fetch_mentioned_edges", EdgeRef)
_DELETE_UNSUPPORTED_NODES = load_statement("nodes/delete_unsupported_nodes", _Gone)
_LOCK_NODES = load_statement("nodes/lock_nodes", NodeRef)
_EXISTING_EDGES = load_statement("edges/fetch_existing_edges", EdgeRef)
_CREATE_EDGES = load_statement("edges/create_edges", Nothing)
_SETTLE_EDGES = load_statement("edges/settle_edges", _Gone)


async def fetch_affected(transaction: Transaction, document_ids: Sequence[str]) -> Affected:
    """What documents mention, and so may take with them."""
    if not document_ids:
        return Affected(set(), {})
    nodes = await transaction.run(_MENTIONED_NODES, document_ids=document_ids)
    edges = await transaction.run(_MENTIONED_EDGES, document_ids=document_ids)
    ends = {end for edge in edges for end in (edge.source, edge.target)}
    affected = Affected({node.node_id for node in nodes} | ends, {})
    affected.add_edges(edges)
    return affected


async def lock_nodes(transaction: Transaction, node_ids: AbstractSet[str]) -> set[str]:
    """Lock nodes, in the order of their ids, and return the ids of those that are there."""
    found: set[str] = set()
    for chunk in chunks(sorted(node_ids)):
        found.update(row.node_id for row in await transaction.run(_LOCK_NODES, node_ids=chunk))
    return found


async def fetch_existing_edges(
    transaction: Transaction, edges: Sequence[Row], nodes: AbstractSet[str]
) -> list[EdgeRef]:
    """Those of the edges that are there: an edge can be only where both its ends were before."""
    found: list[EdgeRef] = []
    for rows in chunks([row for row in edges if row["source"] in nodes and row["target"] in nodes]):
        found.extend(await transaction.run(_EXISTING_EDGES, rows=rows))
    return found


async def create_edges(transaction: Transaction, edges: Sequence[Row], known: Sequence[EdgeRef]) -> None:
    """Write those of the edges that are not among the known."""
    there = {edge.edge_id for edge in known}
    for rows in chunks([row for row in edges if row["edge_id"] not in there]):
        await transaction.run(_CREATE_EDGES, rows=rows)


async def settle(transaction: Transaction, affected: Affected) -> Removed:
    """Let the mentions that are left decide: what has none goes, the strongest shows."""
    edges = nodes = 0
    for rows in chunks(list(affected.edges.values())):
        edges += sum(row.gone for row in await transaction.run(_SETTLE_EDGES, rows=rows, provenances=PROVENANCES))
    for node_ids in chunks(sorted(affected.nodes)):
        nodes += sum(row.gone for row in await transaction.run(_DELETE_UNSUPPORTED_NODES, node_ids=node_ids))
    return Removed(nodes, edges)


def chunks(items: Sequence[_Item]) -> Iterator[Sequence[_Item]]:
    """The items in portions of one statement each."""
    for start in range(0, len(items), ROWS_PER_STATEMENT):
        yield items[start : start + ROWS_PER_STATEMENT]
