"""What several tenants say of one thing: what they share, what only one says, and where they disagree."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from graph.answers import EdgeView, EdgeWithEnds
from graph.database import Database
from graph.errors import InvalidInput, LimitExceeded
from graph.identity import name_key
from graph.statements import load_statement
from graph.views import NodeRow
from graph.vocabulary import RELATIONS, Relation

_Fact = tuple[str, str, str]
_UNKNOWN: Final = Relation("")


@dataclass(frozen=True, slots=True)
class ComparedFact:
    """A fact and the tenants that state it, sorted. `edge` is how `tenant`, one of them, has it."""

    tenants: tuple[str, ...]
    edge: EdgeWithEnds
    tenant: str


@dataclass(frozen=True, slots=True)
class Comparison:
    """Facts by what tenants make of them, each fact once, by source, relation and target.

    `conflicting` has those that can't all be true: different targets of one source in a relation that allows one, be
    it in one tenant or in several. Of the others, `shared` has those of two tenants or more, `only_in` those of one.
    """

    shared: tuple[ComparedFact, ...]
    only_in: tuple[ComparedFact, ...]
    conflicting: tuple[ComparedFact, ...]


@dataclass(frozen=True, slots=True)
class _FactRow:
    edge: dict[str, Any]
    source: dict[str, Any]
    target: dict[str, Any]


_FETCH = load_statement("comparison/fetch_facts", _FactRow)


async def fetch_facts(database: Database, name: str, limit: int = 1_000) -> list[EdgeWithEnds]:
    """All edges at the nodes of that name, case and spacing aside, by source, relation, target and id.

    Raises InvalidInput for a blank name, LimitExceeded when there are more than `limit`: a part of them would make
    facts that others share look like theirs alone.
    """
    if not name.strip():
        raise InvalidInput("The name is blank: give the name of a thing.")
    key = name_key(name)
    rows = await database.fetch(_FETCH, name_key=key, limit=limit + 1) if key else []
    if len(rows) > limit:
        raise LimitExceeded(
            f"More than {limit:,} facts are known of {name[:100]!r}: ask for something more particular."
        )
    return [
        EdgeWithEnds(EdgeView(**row.edge), NodeRow(**row.source).view(), NodeRow(**row.target).view()) for row in rows
    ]


def compare_facts(facts: Mapping[str, Sequence[EdgeWithEnds]]) -> Comparison:
    """Compare facts by tenant. The verdict does not depend on the order of tenants or facts.

    Facts are the same when source, relation and target are: where and when it was said is no part of it. A relation
    and its inverse with the ends swapped are one, and so are both ways of a symmetric relation.
    """
    stated = _gather(facts)
    targets: dict[tuple[str, str], set[str]] = {}
    for source, relation, target in stated:
        if _relation(relation).functional:
            targets.setdefault((source, relation), set()).add(target)
    shared: list[ComparedFact] = []
    only_in: list[ComparedFact] = []
    conflicting: list[ComparedFact] = []
    for source, relation, target in sorted(stated):
        fact = _compared(stated[source, relation, target])
        if len(targets.get((source, relation), ())) > 1:
            conflicting.append(fact)
        elif len(fact.tenants) > 1:
            shared.append(fact)
        else:
            only_in.append(fact)
    return Comparison(tuple(shared), tuple(only_in), tuple(conflicting))


def _gather(facts: Mapping[str, Sequence[EdgeWithEnds]]) -> dict[_Fact, dict[str, list[EdgeWithEnds]]]:
    stated: dict[_Fact, dict[str, list[EdgeWithEnds]]] = {}
    for tenant, edges in facts.items():
        for edge in edges:
            stated.setdefault(_fact(edge.edge), {}).setdefault(tenant, []).append(edge)
    return stated


def _fact(edge: EdgeView) -> _Fact:
    relation = _relation(edge.relation)
    if relation.symmetric:
        return min(edge.source, edge.target), edge.relation, max(edge.source, edge.target)
    if relation.inverse is not None and relation.inverse < edge.relation:
        return edge.target, relation.inverse, edge.source
    return edge.source, edge.relation, edge.target


def _compared(by_tenant: Mapping[str, Sequence[EdgeWithEnds]]) -> ComparedFact:
    tenants = tuple(sorted(by_tenant))
    shown = min(by_tenant[tenants[0]], key=lambda fact: (-fact.edge.confidence, fact.edge.edge_id))
    return ComparedFact(tenants, shown, tenants[0])


def _relation(name: str) -> Relation:
    return RELATIONS.get(name, _UNKNOWN)
