"""The nearest nodes and segments of a vector: from the index where that suffices, else by comparing all that pass."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, Generic, TypeVar

from graph.answers import Degradation
from graph.database import Database, vector_values
from graph.errors import DatabaseFailed, InvalidInput
from graph.filters import Filter
from graph.items import Item
from graph.statements import Statement, load_statement
from graph.vectors.state import VectorState, find_mismatch
from graph.vectors.writing import find_fault
from graph.views import NodeRow

_Row = TypeVar("_Row")
PART: Final = "vector"
_NO_EMBEDDER: Final = Degradation(PART, "No embedding model is set up: the answer is by words alone.")
# How many times what is wanted the index is asked for when a filter drops some of it.
_OVERFETCH: Final = (4, 32)
# Where a filter says that few pass, all of those are compared. Source: the lists of listing/count_nodes.cypher
_STARTS: Final[tuple[tuple[str, str, tuple[str, ...]], ...]] = (
    ("documents", "document", ("eq",)),
    ("names", "name", ("eq", "in")),
    ("paths", "path", ("eq", "in")),
    ("name_prefixes", "name", ("starts_with",)),
    ("path_prefixes", "path", ("starts_with",)),
    ("kinds", "kind", ("eq", "in")),
)
_MANY: Final = ("kinds", "everything")


@dataclass(frozen=True, slots=True)
class QueryVector:
    """A query as a vector, and the model that made it. Raises InvalidInput for NaN, infinity and all zero."""

    model: str
    values: tuple[float, ...]

    def __post_init__(self) -> None:
        fault = "of no numbers" if not self.values else find_fault(self.values, len(self.values))
        if fault is not None:
            raise InvalidInput(f"The model {self.model[:200]!r} gave a vector {fault} for the search text.")


@dataclass(frozen=True, slots=True)
class Nearest(Generic[_Row]):
    """The nearest, best first; None when there are no vectors to search by. `degraded` says what was done without."""

    rows: Sequence[_Row] | None
    degraded: tuple[Degradation, ...] = ()


@dataclass(frozen=True, slots=True)
class NearNode(NodeRow):
    """A node and its similarity, 0 to 1."""

    score: float


@dataclass(frozen=True, slots=True)
class _Coverage(VectorState):
    """How many items there are, and for how many a vector was made."""

    items: int
    embedded: int


@dataclass(frozen=True, slots=True)
class _SegmentsRow:
    segments: list[Item]


@dataclass(frozen=True, slots=True)
class _VectorRow:
    id: str
    vector: object


@dataclass(frozen=True, slots=True)
class _TextRow:
    id: str
    text: str
    vector: object


_NODE_STATE = load_statement("vectors/find_node_state", _Coverage)
_SEGMENT_STATE = load_statement("vectors/find_segment_state", _Coverage)
_SEARCH_NODES = load_statement("vectors/search_nodes", NearNode)
_SEARCH_FILTERED_NODES = load_statement("vectors/search_filtered_nodes", NearNode)
_SCAN_NODES = load_statement("vectors/scan_nodes", NearNode)
_SEARCH_SEGMENTS = load_statement("vectors/search_segments", _SegmentsRow)
_SCAN_SEGMENTS = load_statement("vectors/scan_segments", _SegmentsRow)
_NODE_VECTORS = load_statement("vectors/fetch_node_vectors", _VectorRow)
_SEGMENT_VECTORS = load_statement("vectors/fetch_segment_vectors", _TextRow)


async def search_near_nodes(
    database: Database, vector: QueryVector | Degradation | None, *, limit: int, passing: Filter
) -> Nearest[NearNode]:
    """The nodes nearest to a vector that a filter lets through. A Degradation says why there is no vector."""
    coverage = await _find_coverage(database, _NODE_STATE, vector, "nodes")
    if not isinstance(vector, QueryVector) or not isinstance(coverage, _Coverage):
        return Nearest(None, _told(coverage))
    try:
        rows = await _near_nodes(database, list(vector.values), limit, passing, coverage.embedded)
    except DatabaseFailed as exc:
        return Nearest(None, (Degradation(PART, str(exc)),))
    return Nearest(rows, _partial(coverage, "nodes"))


async def search_near_segments(
    database: Database, vector: QueryVector | Degradation | None, *, limit: int
) -> Nearest[Item]:
    """The segments nearest to a vector. A Degradation says why there is no vector."""
    coverage = await _find_coverage(database, _SEGMENT_STATE, vector, "segments")
    if not isinstance(vector, QueryVector) or not isinstance(coverage, _Coverage):
        return Nearest(None, _told(coverage))
    values = list(vector.values)
    try:
        (row,) = await database.fetch(_SEARCH_SEGMENTS, vector=values, candidates=limit, limit=limit)
        if len(row.segments) < min(limit, coverage.embedded):
            (row,) = await database.fetch(_SCAN_SEGMENTS, vector=values, limit=limit)
    except DatabaseFailed as exc:
        return Nearest(None, (Degradation(PART, str(exc)),))
    return Nearest(row.segments, _partial(coverage, "segments"))


async def fetch_node_vectors(database: Database, node_ids: Sequence[str]) -> dict[str, list[float]]:
    """The vectors of nodes, by id; of those that have one."""
    rows = await database.fetch(_NODE_VECTORS, ids=sorted(node_ids))
    return {row.id: vector_values(row.vector) for row in rows}


async def fetch_segment_vectors(
    database: Database, segment_ids: Sequence[str]
) -> dict[str, tuple[str, list[float] | None]]:
    """The texts of segments, by id, with their vectors where they have one."""
    rows = await database.fetch(_SEGMENT_VECTORS, ids=sorted(segment_ids))
    return {row.id: (row.text, None if row.vector is None else vector_values(row.vector)) for row in rows}


async def _find_coverage(
    database: Database, statement: Statement[_Coverage], vector: QueryVector | Degradation | None, items: str
) -> _Coverage | Degradation:
    """What there is to search by, or why that can't be done."""
    if not isinstance(vector, QueryVector):
        return vector or _NO_EMBEDDER
    coverage = await database.find(statement)
    if coverage is None or not coverage.ready:
        return Degradation(
            PART, f"The {items} of this graph have no vectors yet: they get them with the next ingestion."
        )
    reason = find_mismatch(coverage, vector.model, len(vector.values))
    return coverage if reason is None else Degradation(PART, reason)


def _told(coverage: _Coverage | Degradation) -> tuple[Degradation, ...]:
    return (coverage,) if isinstance(coverage, Degradation) else ()


def _partial(coverage: _Coverage, items: str) -> tuple[Degradation, ...]:
    missing = coverage.items - coverage.embedded
    if missing <= 0:
        return ()
    reason = f"{missing:,} of {coverage.items:,} {items} have no vectors yet, so only words find them: they get them "
    return (Degradation(PART, reason + "with the next ingestion."),)


async def _near_nodes(
    database: Database, values: list[float], limit: int, passing: Filter, embedded: int
) -> list[NearNode]:
    if passing.is_always:
        rows = await database.fetch(_SEARCH_NODES, vector=values, candidates=limit, limit=limit)
        if len(rows) >= min(limit, embedded):
            return rows
    start, places = _find_start(passing)
    conditions: dict[str, Any] = {"clauses": passing.clauses, "complement": passing.complement}
    for factor in _OVERFETCH if start in _MANY and not passing.is_always else ():
        candidates = factor * limit
        if candidates >= embedded:
            break
        rows = await database.fetch(
            _SEARCH_FILTERED_NODES, vector=values, candidates=candidates, limit=limit, **conditions
        )
        if len(rows) == limit:
            return rows
    return await database.fetch(_SCAN_NODES, vector=values, start=places, limit=limit, **conditions)


def _find_start(passing: Filter) -> tuple[str, dict[str, list[str]]]:
    """The name of the narrowest list to look through, and the lists of the statement."""
    empty: dict[str, list[str]] = {"everything": [], **{name: [] for name, _, _ in _STARTS}}
    for name, field, operators in _STARTS:
        values = passing.required(field, operators)
        if values is not None:
            return name, empty | {name: values}
    return "everything", empty | {"everything": [""]}
