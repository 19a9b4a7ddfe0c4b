"""Filter and order inputs, and the conditions that they stand for."""

from collections.abc import Callable, Iterator, Sequence
from typing import Annotated, Any, Final, TypeAlias, cast

import strawberry

from api.graphql.enums import (
    DocumentStatus,
    EdgeSortField,
    Modality,
    NodeSortField,
    Provenance,
    SortDirection,
)
from graph.errors import InvalidInput
from graph.filters import And, Condition, Not, Or, Test
from graph.listing import Order

_MAX_DEPTH: Final = 10
_OPERATORS: Final = {
    "eq": "eq",
    "in_": "in",
    "contains": "contains",
    "starts_with": "starts_with",
    "ends_with": "ends_with",
    "gt": "gt",
    "gte": "gte",
    "lt": "lt",
    "lte": "lte",
}

_Text: TypeAlias = str | None


@strawberry.input(description="Compares a text, case minded. All that are given must hold.")
class StringFilter:
    eq: _Text = strawberry.field(default=None, description="It is this.")
    in_: list[str] | None = strawberry.field(default=None, name="in", description="It is one of these.")
    contains: _Text = strawberry.field(default=None, description="This is a part of it.")
    starts_with: _Text = strawberry.field(default=None, description="It begins with this.")
    ends_with: _Text = strawberry.field(default=None, description="It ends with this.")


@strawberry.input(description="Compares a whole number. All that are given must hold.")
class IntFilter:
    eq: int | None = strawberry.field(default=None, description="Equal.")
    gt: int | None = strawberry.field(default=None, description="Greater.")
    gte: int | None = strawberry.field(default=None, description="Greater or equal.")
    lt: int | None = strawberry.field(default=None, description="Less.")
    lte: int | None = strawberry.field(default=None, description="Less or equal.")


@strawberry.input(description="Compares a number. All that are given must hold.")
class FloatFilter:
    eq: float | None = strawberry.field(default=None, description="Equal.")
    gt: float | None = strawberry.field(default=None, description="Greater.")
    gte: float | None = strawberry.field(default=None, description="Greater or equal.")
    lt: float | None = strawberry.field(default=None, description="Less.")
    lte: float | None = strawberry.field(default=None, description="Less or equal.")


@strawberry.input(description="Which nodes. All fields that are given must hold.")
class NodeFilter:
    and_: list["NodeFilter"] | None = strawberry.field(default=None, name="AND", description="All of these hold.")
    or_: list["NodeFilter"] | None = strawberry.field(default=None, name="OR", description="One of these holds.")
    not_: Annotated["NodeFilter", strawberry.lazy("api.graphql.filters")] | None = strawberry.field(
        default=None, name="NOT", description="This does not hold."
    )
    name: StringFilter | None = strawberry.field(default=None, description="Its name.")
    kind: StringFilter | None = strawberry.field(default=None, description="Its kind.")
    path: StringFilter | None = strawberry.field(default=None, description="The file of a symbol of code.")
    document: strawberry.ID | None = strawberry.field(default=None, description="A document that names it, by id.")
    degree: IntFilter | None = strawberry.field(default=None, description="The number of its edges.")


@strawberry.input(description="Which edges. All fields that are given must hold.")
class EdgeFilter:
    and_: list["EdgeFilter"] | None = strawberry.field(default=None, name="AND", description="All of these hold.")
    or_: list["EdgeFilter"] | None = strawberry.field(default=None, name="OR", description="One of these holds.")
    not_: Annotated["EdgeFilter", strawberry.lazy("api.graphql.filters")] | None = strawberry.field(
        default=None, name="NOT", description="This does not hold."
    )
    relation: StringFilter | None = strawberry.field(default=None, description="Its relation.")
    provenance: Provenance | None = strawberry.field(default=None, description="How it is known.")
    confidence: FloatFilter | None = strawberry.field(default=None, description="Its confidence, 0 to 1.")
    source: strawberry.ID | None = strawberry.field(default=None, description="Where it begins: a node's id or name.")
    target: strawberry.ID | None = strawberry.field(default=None, description="Where it ends: a node's id or name.")
    document: strawberry.ID | None = strawberry.field(default=None, description="A document that states it, by id.")


@strawberry.input(description="Which documents. All fields that are given must hold.")
class DocumentFilter:
    status: DocumentStatus | None = strawberry.field(default=None, description="How its ingestion ended.")
    modality: Modality | None = strawberry.field(default=None, description="What material it is.")
    path: StringFilter | None = strawberry.field(default=None, description="Its path.")


@strawberry.input(description="An order of nodes.")
class NodeOrder:
    field: NodeSortField = strawberry.field(description="What is compared.")
    direction: SortDirection = strawberry.field(default=SortDirection.ASC, description="Up or down.")


@strawberry.input(description="An order of edges.")
class EdgeOrder:
    field: EdgeSortField = strawberry.field(description="What is compared.")
    direction: SortDirection = strawberry.field(default=SortDirection.ASC, description="Up or down.")


def node_condition(where: NodeFilter | None) -> Condition | None:
    """Return the condition of a node filter. Raises InvalidInput for one that is nested too deep."""
    return None if where is None else _condition(where, _node_tests, 0)


def edge_condition(where: EdgeFilter | None) -> Condition | None:
    """Return the condition of an edge filter, whose source and target are ids by now. Raises InvalidInput."""
    return None if where is None else _condition(where, _edge_tests, 0)


def document_condition(where: DocumentFilter | None) -> Condition | None:
    """Return the condition of a document filter."""
    if where is None:
        return None
    parts = [*_comparisons("path", where.path)]
    parts += [Test(name, "eq", str(value.value)) for name, value in _enums(where) if value is not None]
    return And(tuple(parts))


def edge_ends(where: EdgeFilter | None, depth: int = 0) -> Iterator[EdgeFilter]:
    """Yield a filter and all within it that name a source or target, so that names can be made ids."""
    if where is None or depth > _MAX_DEPTH:
        return
    if where.source is not None or where.target is not None:
        yield where
    for inner in (*(where.and_ or ()), *(where.or_ or ()), where.not_):
        yield from edge_ends(inner, depth + 1)


def make_order(orders: Sequence[NodeOrder] | Sequence[EdgeOrder] | None) -> tuple[Order, ...]:
    """Return the order for the graph layer."""
    return tuple(Order(order.field.value, descending=order.direction is SortDirection.DESC) for order in orders or ())


def name_order(orders: Sequence[Order]) -> str:
    """Return the order as a part of its cursors' name."""
    return " ".join(f"{order.field} {'desc' if order.descending else 'asc'}" for order in orders)


def _condition(where: Any, tests: Callable[[Any], Iterator[Condition]], depth: int) -> Condition:
    if depth > _MAX_DEPTH:
        raise InvalidInput(f"The filter is nested more than {_MAX_DEPTH} deep: make it flatter.")
    parts = list(tests(where))
    parts += [_condition(inner, tests, depth + 1) for inner in where.and_ or ()]
    if where.or_ is not None:
        parts.append(Or(tuple(_condition(inner, tests, depth + 1) for inner in where.or_)))
    if where.not_ is not None:
        parts.append(Not(_condition(where.not_, tests, depth + 1)))
    return And(tuple(parts))


def _node_tests(where: NodeFilter) -> Iterator[Condition]:
    for name in ("name", "kind", "path", "degree"):
        yield from _comparisons(name, getattr(where, name))
    if where.document is not None:
        yield Test("document", "eq", str(where.document))


def _edge_tests(where: EdgeFilter) -> Iterator[Condition]:
    for name in ("relation", "confidence"):
        yield from _comparisons(name, getattr(where, name))
    if where.provenance is not None:
        yield Test("provenance", "eq", str(where.provenance.value))
    for name in ("source", "target", "document"):
        if (value := getattr(where, name)) is not None:
            yield Test(name, "eq", str(value))


def _comparisons(field: str, given: StringFilter | IntFilter | FloatFilter | None) -> Iterator[Condition]:
    if given is None:
        return
    for attribute, operator in _OPERATORS.items():
        value: Any = getattr(given, attribute, None)
        if value is not None:
            yield Test(field, operator, tuple(cast("list[str]", value)) if isinstance(value, list) else value)


def _enums(where: DocumentFilter) -> Iterator[tuple[str, DocumentStatus | Modality | None]]:
    yield "status", where.status
    yield "modality", where.modality
