"""Conditions on nodes, edges and documents, as the parameter rows that one static statement understands.

A condition is a tree of `Test`s under `And`, `Or` and `Not`. It is told to Neo4j in conjunctive normal form: a list
of clauses, all of which must hold, each a list of tests, one of which must. Logic is two-valued: a test of a property
that is missing is false, and its negation true.
"""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final, TypeAlias

from graph.errors import InvalidInput

MAX_TESTS: Final = 200
"""Tests in the normal form of one condition."""

MAX_DEPTH: Final = 50
MAX_VALUES: Final = 1_000
MAX_TEXT_CHARS: Final = 10_000
_NUMBER_LIMIT: Final = 2**63

Value = str | int | float | tuple[str, ...]
Clauses: TypeAlias = list[list[dict[str, Any]]]

_TEXT: Final = frozenset({"eq", "in", "contains", "starts_with", "ends_with"})
_NUMBER: Final = frozenset({"eq", "gt", "gte", "lt", "lte"})
_EXACT: Final = frozenset({"eq"})
_CHOICE: Final = frozenset({"eq", "in"})

NODE_FIELDS: Final[Mapping[str, frozenset[str]]] = MappingProxyType(
    {"name": _TEXT, "kind": _TEXT, "path": _TEXT, "document": _EXACT, "degree": _NUMBER}
)
"""The fields of nodes and the operators that each takes. `document` is the id of one that mentions the node."""

EDGE_FIELDS: Final[Mapping[str, frozenset[str]]] = MappingProxyType(
    {
        "relation": _TEXT,
        "provenance": _CHOICE,
        "confidence": _NUMBER,
        "source": _CHOICE,
        "target": _CHOICE,
        "document": _EXACT,
    }
)
"""The fields of edges. `source` and `target` are node ids, `document` the id of one that states the edge."""

DOCUMENT_FIELDS: Final[Mapping[str, frozenset[str]]] = MappingProxyType(
    {"status": _CHOICE, "modality": _CHOICE, "path": _TEXT}
)
"""The fields of documents."""


@dataclass(frozen=True, slots=True)
class Test:
    """A comparison of a field, text as written. `op`: eq in contains starts_with ends_with gt gte lt lte."""

    __test__ = False

    field: str
    op: str
    value: Value


@dataclass(frozen=True, slots=True)
class And:
    """True when all parts are; true without parts."""

    parts: "tuple[Condition, ...]"


@dataclass(frozen=True, slots=True)
class Or:
    """True when one part is; false without parts."""

    parts: "tuple[Condition, ...]"


@dataclass(frozen=True, slots=True)
class Not:
    """True when the part is false."""

    part: "Condition"


Condition: TypeAlias = Test | And | Or | Not

Fields: TypeAlias = Mapping[str, frozenset[str]]


@dataclass(frozen=True, slots=True)
class Filter:
    """A condition as statements take it: `complement` is true when the clauses say when it does NOT hold."""

    clauses: Clauses
    complement: bool

    @property
    def is_always(self) -> bool:
        """Whether everything passes, whatever it is."""
        return not self.complement and not self.clauses

    def required(self, field: str, operators: Sequence[str]) -> list[str] | None:
        """The texts of which one must stand in a comparison of the field by one of the operators; None when unknown.

        They come from one clause: what passes satisfies at least one of its comparisons.
        """
        for clause in () if self.complement else self.clauses:
            if clause and all(_says(test, field, operators) for test in clause):
                return sorted({text for test in clause for text in _texts(test["value"])})
        return None

    def bounds(self, field: str) -> tuple[float, float]:
        """The least and the greatest number that the field can be in whatever passes."""
        least, greatest = -math.inf, math.inf
        for clause in () if self.complement else self.clauses:
            if len(clause) == 1 and _says(clause[0], field, ("eq", "gt", "gte")):
                least = max(least, clause[0]["value"])
            if len(clause) == 1 and _says(clause[0], field, ("eq", "lt", "lte")):
                greatest = min(greatest, clause[0]["value"])
        return least, greatest


def _says(test: Mapping[str, Any], field: str, operators: Sequence[str]) -> bool:
    return test["field"] == field and test["op"] in operators and not test["negated"]


def _texts(value: str | list[str]) -> list[str]:
    return value if isinstance(value, list) else [value]


_Literal: TypeAlias = tuple[Test, bool]
_Clause: TypeAlias = tuple[_Literal, ...]


class _TooManyTests(Exception):
    """A normal form grows beyond MAX_TESTS."""


def compile_condition(condition: Condition | None, fields: Fields = NODE_FIELDS) -> Filter:
    """The condition as parameters; None passes everything.

    A condition whose own normal form would be too big is told by that of its negation, so that both an And of Ors and
    an Or of Ands stay small. Raises InvalidInput for a field or operator that `fields` does not have, a value that
    does not fit them, and a condition that is too big or too deep in both forms.
    """
    if condition is None:
        return Filter([], complement=False)
    for test in _tests(condition, 0):
        _check_test(test, fields)
    try:
        return Filter(_rows(_normalise(condition, negated=False)), complement=False)
    except _TooManyTests:
        pass
    try:
        return Filter(_rows(_normalise(condition, negated=True)), complement=True)
    except _TooManyTests:
        raise InvalidInput(
            f"The filter is too big: it comes to more than {MAX_TESTS} comparisons. Use `in` for lists of values, or"
            " ask several times."
        ) from None


def _tests(condition: Condition, depth: int) -> Iterator[Test]:
    if depth > MAX_DEPTH:
        raise InvalidInput(f"The filter is nested more than {MAX_DEPTH} deep: make it flatter.")
    match condition:
        case Test():
            yield condition
        case Not(part):
            yield from _tests(part, depth + 1)
        case And(parts) | Or(parts):
            for part in parts:
                yield from _tests(part, depth + 1)


def _check_test(test: Test, fields: Fields) -> None:
    operators = fields.get(test.field)
    if operators is None:
        raise InvalidInput(f"Unknown field {test.field[:60]!r} in a filter: use one of {', '.join(sorted(fields))}.")
    if test.op not in operators:
        raise InvalidInput(
            f"{test.field} can't be filtered by {test.op[:60]!r}: use one of {', '.join(sorted(operators))}."
        )
    if operators is _NUMBER:
        _check_number(test)
    elif test.op == "in":
        _check_texts(test)
    elif not isinstance(test.value, str):
        raise InvalidInput(f"{test.field} {test.op} wants a text, not {_shown(test.value)}.")
    else:
        _check_text(test, test.value)


def _check_number(test: Test) -> None:
    value = test.value
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) < _NUMBER_LIMIT:
        raise InvalidInput(f"{test.field} {test.op} wants a number, not {_shown(value)}.")


def _check_texts(test: Test) -> None:
    if not isinstance(test.value, tuple) or len(test.value) > MAX_VALUES:
        raise InvalidInput(f"{test.field} in wants a list of up to {MAX_VALUES:,} texts, not {_shown(test.value)}.")
    for value in test.value:
        _check_text(test, value)


def _check_text(test: Test, value: str) -> None:
    if len(value) > MAX_TEXT_CHARS:
        raise InvalidInput(f"{test.field} {test.op} takes up to {MAX_TEXT_CHARS:,} characters, not {len(value):,}.")
    try:
        value.encode()
    except UnicodeEncodeError:
        raise InvalidInput(f"{test.field} {test.op}: {value[:60]!r} is half of a character.") from None


def _shown(value: object) -> str:
    return repr(value)[:60]


def _normalise(condition: Condition, *, negated: bool) -> list[_Clause]:
    match condition:
        case Test():
            return [((condition, negated),)]
        case Not(part):
            return _normalise(part, negated=not negated)
        case And(parts) | Or(parts):
            inner = [_normalise(part, negated=negated) for part in parts]
            return _join(inner) if isinstance(condition, And) != negated else _distribute(inner)


def _join(parts: Iterable[list[_Clause]]) -> list[_Clause]:
    clauses = list(dict.fromkeys(clause for part in parts for clause in part))
    return [()] if () in clauses else _bounded(clauses)


def _distribute(parts: Iterable[list[_Clause]]) -> list[_Clause]:
    clauses: list[_Clause] = [()]
    for part in parts:
        if len(clauses) * len(part) > MAX_TESTS:
            raise _TooManyTests
        clauses = _join([[tuple(dict.fromkeys((*left, *right))) for left in clauses for right in part]])
    return clauses


def _bounded(clauses: list[_Clause]) -> list[_Clause]:
    if sum(len(clause) for clause in clauses) > MAX_TESTS:
        raise _TooManyTests
    return clauses


def _rows(clauses: list[_Clause]) -> Clauses:
    return [[_row(test, negated) for test, negated in clause] for clause in clauses]


def _row(test: Test, negated: bool) -> dict[str, Any]:
    value = list(test.value) if isinstance(test.value, tuple) else test.value
    return {"field": test.field, "op": test.op, "value": value, "negated": negated}
