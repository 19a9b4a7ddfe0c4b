"""Nodes, edges and documents, filtered, sorted and page by page.

A page goes on after a key, never after a number of items: what comes or goes between two pages moves nothing else.
Every order ends in the id, ascending.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from graph.answers import DocumentView, EdgeWithEnds, Key, NodeView, Page
from graph.database import Database
from graph.errors import InvalidInput
from graph.filters import DOCUMENT_FIELDS, EDGE_FIELDS, NODE_FIELDS, Condition, Filter, compile_condition
from graph.items import Item, make_document, make_edge, make_node, make_nodes
from graph.requests import check_first, check_key, cut_page
from graph.statements import load_statement

_NODE_ORDERS: Final[Mapping[str, type]] = {"name": str, "kind": str, "degree": int}
_EDGE_ORDERS: Final[Mapping[str, type]] = {"relation": str, "confidence": float}
_NODE_WIDTH: Final = len(_NODE_ORDERS)
_EDGE_WIDTH: Final = len(_EDGE_ORDERS)
_StartRule: TypeAlias = tuple[str, str, tuple[str, ...]]
# Where to look for what a filter lets through, the narrowest first: the statement's list, the field, the operators.
_NODE_STARTS: Final[tuple[_StartRule, ...]] = (
    ("documents", "document", ("eq",)),
    ("names", "name", ("eq", "in")),
    ("paths", "path", ("eq", "in")),
    ("name_prefixes", "name", ("starts_with",)),
    ("path_prefixes", "path", ("starts_with",)),
    ("kinds", "kind", ("eq", "in")),
)
_EDGE_STARTS: Final[tuple[_StartRule, ...]] = (
    ("sources", "source", ("eq", "in")),
    ("targets", "target", ("eq", "in")),
    ("documents", "document", ("eq",)),
)
_STATED_ANYHOW: Final[dict[str, Any]] = {"relations": [], "provenances": [], "least": -math.inf, "most": math.inf}
_START_LISTS: Final = ("everything", *(name for name, _, _ in (*_NODE_STARTS, *_EDGE_STARTS)))


@dataclass(frozen=True, slots=True)
class Order:
    """A field to sort by: name, kind or degree of nodes, relation or confidence of edges."""

    field: str
    descending: bool = False


@dataclass(frozen=True, slots=True)
class _NodesRow:
    nodes: list[Item]


@dataclass(frozen=True, slots=True)
class _SortedNodesRow:
    nodes: list[Item]
    sorts: list[list[Any]]


@dataclass(frozen=True, slots=True)
class _EdgesRow:
    edges: list[Item]
    nodes: list[Item]


@dataclass(frozen=True, slots=True)
class _DocumentsRow:
    documents: list[Item]


@dataclass(frozen=True, slots=True)
class _CountRow:
    count: int


_FETCH_NODES = load_statement("listing/fetch_nodes", _NodesRow)
_FETCH_KIND_NODES = load_statement("listing/fetch_kind_nodes", _NodesRow)
_FETCH_SORTED_NODES = load_statement("listing/fetch_sorted_nodes", _SortedNodesRow)
_COUNT_NODES = load_statement("listing/count_nodes", _CountRow)
_COUNT_ALL_NODES = load_statement("listing/count_all_nodes", _CountRow)
_FETCH_EDGES = load_statement("listing/fetch_edges", _EdgesRow)
_FETCH_SORTED_EDGES = load_statement("listing/fetch_sorted_edges", _EdgesRow)
_FIND_EDGE = load_statement("listing/find_edge", _EdgesRow)
_COUNT_EDGES = load_statement("listing/count_edges", _CountRow)
_COUNT_ALL_EDGES = load_statement("listing/count_all_edges", _CountRow)
_FETCH_DOCUMENTS = load_statement("listing/fetch_documents", _DocumentsRow)
_COUNT_DOCUMENTS = load_statement("listing/count_documents", _CountRow)


async def fetch_node_page(
    database: Database,
    *,
    where: Condition | None = None,
    order: Sequence[Order] = (),
    first: int,
    after: Key | None = None,
) -> Page[NodeView]:
    """The first nodes that `where` lets through, or the first after a key.

    Without an order or filter, or with one by kind alone, no more is read than is returned. Raises InvalidInput for
    a field that can't be filtered or sorted by, a key that doesn't fit the order, or a `first` outside 0 to 1,000.
    """
    check_first(first)
    passing, sorting = compile_condition(where, NODE_FIELDS), _make_sorting(order, _NODE_ORDERS)
    place, start = sorting.check(after), _narrowest(passing, _NODE_STARTS)
    if sorting.orders or start.field not in ("everything", "kinds") or len(start.values) != 1:
        (found,) = await database.fetch(
            _FETCH_SORTED_NODES,
            **_conditions(passing, start),
            order=sorting.rows(_NODE_WIDTH),
            after=sorting.pad(place, _NODE_WIDTH),
            limit=first + 1,
        )
        return _node_page(found.nodes, [tuple(sort[: len(sorting.orders)]) for sort in found.sorts], first)
    params: dict[str, Any] = {"clauses": passing.clauses, "complement": passing.complement, "limit": first + 1}
    params["after"] = place[0] if place else ""
    if start.field == "kinds":
        (row,) = await database.fetch(_FETCH_KIND_NODES, kind=start.values[0], **params)
    else:
        (row,) = await database.fetch(_FETCH_NODES, **params)
    return _node_page(row.nodes, [()] * len(row.nodes), first)


async def count_nodes(database: Database, where: Condition | None = None) -> int:
    """How many nodes `where` lets through. Raises InvalidInput as `fetch_node_page`."""
    passing = compile_condition(where, NODE_FIELDS)
    if passing.is_always:
        (row,) = await database.fetch(_COUNT_ALL_NODES)
    else:
        (row,) = await database.fetch(_COUNT_NODES, **_conditions(passing, _narrowest(passing, _NODE_STARTS)))
    return row.count


async def fetch_edge_page(
    database: Database,
    *,
    where: Condition | None = None,
    order: Sequence[Order] = (),
    first: int,
    after: Key | None = None,
) -> Page[EdgeWithEnds]:
    """The first edges that `where` lets through, or the first after a key.

    Without an order or filter no more is read than is returned. Raises InvalidInput as `fetch_node_page`.
    """
    check_first(first)
    passing, sorting = compile_condition(where, EDGE_FIELDS), _make_sorting(order, _EDGE_ORDERS)
    place, start = sorting.check(after), _narrowest(passing, _EDGE_STARTS)
    stated = _stated(passing)
    if sorting.orders or start.field != "everything" or (stated is None and not passing.is_always):
        (row,) = await database.fetch(
            _FETCH_SORTED_EDGES,
            **_conditions(passing, start),
            order=sorting.rows(_EDGE_WIDTH),
            after=sorting.pad(place, _EDGE_WIDTH),
            limit=first + 1,
        )
        return _edge_page(row, [tuple(item["sort"][: len(sorting.orders)]) for item in row.edges], first)
    (row,) = await database.fetch(
        _FETCH_EDGES,
        stated=stated or _STATED_ANYHOW,
        clauses=passing.clauses,
        complement=passing.complement,
        after=place[0] if place else "",
        limit=first + 1,
    )
    return _edge_page(row, [()] * len(row.edges), first)


async def count_edges(database: Database, where: Condition | None = None) -> int:
    """How many edges `where` lets through. Raises InvalidInput as `fetch_node_page`."""
    passing = compile_condition(where, EDGE_FIELDS)
    if passing.is_always:
        (row,) = await database.fetch(_COUNT_ALL_EDGES)
    else:
        (row,) = await database.fetch(_COUNT_EDGES, **_conditions(passing, _narrowest(passing, _EDGE_STARTS)))
    return row.count


async def find_edge(database: Database, edge_id: str) -> EdgeWithEnds | None:
    """The edge of that id with both of its ends, or None."""
    (row,) = await database.fetch(_FIND_EDGE, edge_id=edge_id)
    return _edge_page(row, [()] * len(row.edges), 1).items[0] if row.edges else None


async def fetch_document_page(
    database: Database, *, where: Condition | None = None, first: int, after: Key | None = None
) -> Page[DocumentView]:
    """The first documents that `where` lets through by id, or the first after a key.

    Raises InvalidInput as `fetch_node_page`.
    """
    check_first(first)
    passing, place = compile_condition(where, DOCUMENT_FIELDS), _make_sorting((), {}).check(after)
    (row,) = await database.fetch(
        _FETCH_DOCUMENTS,
        clauses=passing.clauses,
        complement=passing.complement,
        after=place[0] if place else "",
        limit=first + 1,
    )
    documents = [make_document(item) for item in row.documents]
    return cut_page(documents, [(view.document_id,) for view in documents], first)


async def count_documents(database: Database, where: Condition | None = None) -> int:
    """How many documents `where` lets through. Raises InvalidInput as `fetch_node_page`."""
    passing = compile_condition(where, DOCUMENT_FIELDS)
    (row,) = await database.fetch(_COUNT_DOCUMENTS, clauses=passing.clauses, complement=passing.complement)
    return row.count


def _node_page(items: Sequence[Item], sorts: Sequence[Key], first: int) -> Page[NodeView]:
    nodes = [make_node(item) for item in items]
    return cut_page(nodes, [(*sort, view.node_id) for view, sort in zip(nodes, sorts, strict=True)], first)


def _edge_page(row: _EdgesRow, sorts: Sequence[Key], first: int) -> Page[EdgeWithEnds]:
    nodes = make_nodes(row.nodes)
    edges = [make_edge(item, nodes) for item in row.edges]
    return cut_page(edges, [(*sort, view.edge.edge_id) for view, sort in zip(edges, sorts, strict=True)], first)


@dataclass(frozen=True, slots=True)
class _Sorting:
    """Different fields to sort by, the id after them."""

    orders: tuple[Order, ...]
    types: tuple[type, ...]

    def check(self, after: Key | None) -> list[str | int | float] | None:
        """The key as a parameter. Raises InvalidInput for one of another order."""
        return check_key(after, (*self.types, str))

    def rows(self, width: int) -> list[dict[str, Any]]:
        """The parameter for a statement that sorts by `width` fields: absent ones sort as 0."""
        given = [{"field": order.field, "descending": order.descending} for order in self.orders]
        return given + [{"field": "", "descending": False}] * (width - len(given))

    def pad(self, place: list[str | int | float] | None, width: int) -> list[str | int | float] | None:
        """A checked key with the values of absent fields."""
        return place and [*place[:-1], *[0] * (width - len(self.orders)), place[-1]]


def _make_sorting(orders: Sequence[Order], known: Mapping[str, type]) -> _Sorting:
    # A field that comes again can't change the order any more.
    unique = {order.field: order for order in reversed(orders)}
    kept = tuple(dict.fromkeys(unique[order.field] for order in orders))
    for order in kept:
        if order.field not in known:
            fields = ", ".join(known) or "nothing"
            raise InvalidInput(f"Can't sort by {order.field[:60]!r}: use {fields}.")
    return _Sorting(kept, tuple(known[order.field] for order in kept))


@dataclass(frozen=True, slots=True)
class _Start:
    """Where to look: a list of the statement's `start`, and its values."""

    field: str
    values: list[str]


def _narrowest(passing: Filter, starts: Sequence[_StartRule]) -> _Start:
    for name, field, operators in starts:
        values = passing.required(field, operators)
        if values is not None:
            return _Start(name, values)
    return _Start("everything", [""])


def _stated(passing: Filter) -> dict[str, Any] | None:
    """What a mention must say, at the least, of an edge that passes; None when that is nothing.

    An edge has the strongest provenance and the highest confidence of its mentions.
    """
    relations = passing.required("relation", ("eq", "in")) or []
    provenances = passing.required("provenance", ("eq", "in")) or []
    least, most = passing.bounds("confidence")
    stated = {"relations": relations, "provenances": provenances, "least": least, "most": most}
    return None if stated == _STATED_ANYHOW else stated


def _conditions(passing: Filter, start: _Start) -> dict[str, Any]:
    return {
        "start": {name: start.values if name == start.field else [] for name in _START_LISTS},
        "clauses": passing.clauses,
        "complement": passing.complement,
    }
