"""Who decides what a node is like: the document that declares it; where none does, what callers and texts state of it.

Statements of several documents give the same node in whatever order they came. Within one document the last call wins.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from graph.database import Transaction
from graph.model import Node, NodeId
from graph.origins import clear_origins, write_origins, write_roots
from graph.roots import Roots
from graph.rows import node_rows
from graph.statements import load_statement
from graph.steps import NodeRef, chunks
from graph.vocabulary import DEFAULT_KIND, KIND_LABELS


@dataclass(frozen=True, slots=True)
class NodeStatement:
    """What one document states of a node; not `explicit` where a caller only names it as an edge's end.

    `weight` is how often texts name it so, None for a caller.
    """

    node_id: str
    document_id: str
    explicit: bool
    name: str
    kind: str
    description: str
    aliases: list[str]
    weight: int | None = None

    @property
    def rank(self) -> int:
        """Whose word goes before whose: what a caller says of the node, what texts do, what a caller only names."""
        return 1 if self.weight is not None else 0 if self.explicit else 2


@dataclass(frozen=True, slots=True)
class _Stated:
    nodes: list[dict[str, Any]]


_OF_NODES = load_statement("assertions/fetch_node_statements", _Stated)
_OF_ORIGINS = load_statement("assertions/fetch_origin_statements", _Stated)
_UPSERT_NODES = load_statement("nodes/upsert_nodes", NodeRef)


async def settle_properties(transaction: Transaction, *, stated: bool, node_ids: Iterable[str], roots: Roots) -> None:
    """Decide anew what nodes are like after their mentions have changed.

    `node_ids` are as shown; `roots` has the merged nodes that sources speak, or spoke, of; `stated` tells whether there
    are statements at all.
    """
    if roots:
        await clear_origins(transaction, roots)
    if stated:
        await _restate_nodes(transaction, set(node_ids).difference(roots, roots.values()))
        await _restate_origins(transaction, roots)
    if roots:
        await write_roots(transaction, roots.values())


async def _restate_nodes(transaction: Transaction, node_ids: Iterable[str]) -> None:
    for chunk in chunks(sorted(node_ids)):
        nodes = _nodes(await transaction.run(_OF_NODES, node_ids=chunk))
        if nodes:
            await transaction.run(_UPSERT_NODES, rows=node_rows(nodes), kind_labels=KIND_LABELS)


async def _restate_origins(transaction: Transaction, node_ids: Iterable[str]) -> None:
    for chunk in chunks(sorted(node_ids)):
        await write_origins(transaction, _nodes(await transaction.run(_OF_ORIGINS, node_ids=chunk)), ())


def _nodes(rows: Sequence[_Stated]) -> list[Node]:
    return [node_of(list(_statements(item))) for row in rows for item in row.nodes]


def _statements(item: Mapping[str, Any]) -> Iterator[NodeStatement]:
    node_id = item["node_id"]
    for one in item["callers"]:
        yield NodeStatement(node_id, **one)
    for one in item["texts"]:
        yield NodeStatement(node_id, document_id="", explicit=True, description="", **one)


def node_of(statements: Sequence[NodeStatement]) -> Node:
    """The node that statements of it give, whatever their order.

    What callers say of it goes first, in the order of their documents' ids: the first decides the name, the first that
    has one the kind and the description. Then the texts: the name and the kind that they use most often. All other
    names are aliases.
    """
    ordered = sorted(statements, key=lambda one: (one.rank, one.document_id))
    name = ordered[0].name if ordered[0].rank != 1 else _most_used(ordered, lambda one: one.name)
    names = {alias for one in ordered for alias in (one.name, *one.aliases)}
    return Node(
        node_id=NodeId(ordered[0].node_id),
        name=name,
        kind=_kind(ordered),
        description=next((one.description for one in ordered if one.description), ""),
        aliases=tuple(sorted(names - {name})),
        declared=False,
    )


def _kind(ordered: Sequence[NodeStatement]) -> str:
    """The kind that the statements of the highest rank give which know one."""
    known = [one for one in ordered if one.kind != DEFAULT_KIND]
    if not known:
        return DEFAULT_KIND
    return known[0].kind if known[0].rank != 1 else _most_used(known, lambda one: one.kind)


def _most_used(statements: Sequence[NodeStatement], word: Callable[[NodeStatement], str]) -> str:
    """The word of most weight among those of texts; of several the first in the alphabet."""
    weights: Counter[str] = Counter()
    for one in statements:
        if one.weight is not None:
            weights[word(one)] += one.weight
    return min(weights, key=lambda found: (-weights[found], found))
