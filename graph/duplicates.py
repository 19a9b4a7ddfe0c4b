"""Entities that may be one thing under several names: suggestions with a score, merged by a call alone."""

import asyncio
import heapq
import threading
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from graph.answers import Degradation, NodeView
from graph.blocking import Candidates, Entity
from graph.database import Database
from graph.errors import InvalidInput
from graph.names import ALIKE, compare_names
from graph.statements import load_statement
from graph.views import fetch_node_views
from graph.vocabulary import DEFAULT_KIND, ENTITY_KINDS

MAX_DUPLICATES: Final = 1_000
MAX_ENTITIES: Final = 100_000
"""Entities that are looked at, in the order of their ids; some 3 KB of memory each."""
MAX_VECTOR_ENTITIES: Final = 5_000
"""Entities whose vectors are asked for neighbours: some milliseconds each."""

_PAGE: Final = 5_000
_VECTOR_PAGE: Final = 200
_ALIASES: Final = 8
_NEIGHBORS: Final = 6
_LEAST_COSINE: Final = 0.9
_VECTOR_WEIGHT: Final = 0.6
_ALIAS_WEIGHT: Final = 0.97
_Pair = tuple[int, int]
_Reasons = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Duplicate:
    """Two nodes that may be one, `a` that of the smaller id. `score` is in [0, 1]; `reasons` say what it rests on."""

    a: NodeView
    b: NodeView
    score: float
    reasons: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class DuplicatesView:
    """Pairs, best first, equal ones by their ids; `degraded` says what the search did without."""

    pairs: tuple[Duplicate, ...]
    truncated: bool
    degraded: tuple[Degradation, ...] = ()


@dataclass(frozen=True, slots=True)
class _EntitiesRow:
    entities: list[list[Any]]


@dataclass(frozen=True, slots=True)
class _NeighborsRow:
    neighbors: list[list[Any]]


@dataclass(frozen=True, slots=True)
class _OnlineRow:
    online: int


_ENTITIES = load_statement("duplicates/fetch_entities", _EntitiesRow)
_NEIGHBORS_OF = load_statement("duplicates/fetch_vector_neighbors", _NeighborsRow)
_INDEXES = load_statement("duplicates/count_vector_indexes", _OnlineRow)


async def find_duplicates(
    database: Database, *, min_score: float = 0.8, limit: int = 100, kinds: Collection[str] | None = None
) -> DuplicatesView:
    """The pairs of entities that score at least `min_score`, at most `limit` of them, of the given kinds alone.

    Kinds agree: equal ones, or one is `entity`. Nodes that are merged already are one. Where nodes have vectors, near
    ones are compared as well, and nearness raises the score of names that are merely alike. Names of code are never
    suggested. Some 0.5 s for 1,000 entities with vectors, less without. Raises InvalidInput.
    """
    chosen = _check(min_score, limit, kinds)
    entities, cut = await _fetch_entities(database, chosen)
    cosines, degraded = await _fetch_cosines(database, entities, chosen)
    stop = threading.Event()
    try:
        best = await asyncio.to_thread(_find_best, entities, cosines, min_score, limit + 1, stop)
    finally:
        stop.set()
    shown = [(entities[pair[0]].node_id, entities[pair[1]].node_id, -score, why) for score, pair, why in best[:limit]]
    views = await fetch_node_views(database, (node_id for a, b, _, _ in shown for node_id in (a, b)))
    pairs = tuple(Duplicate(views[a], views[b], score, why) for a, b, score, why in shown if {a, b} <= views.keys())
    return DuplicatesView(pairs, truncated=cut or len(best) > limit, degraded=degraded)


def _check(min_score: float, limit: int, kinds: Collection[str] | None) -> list[str]:
    if not 0 < min_score <= 1:
        raise InvalidInput(f"The least score is {min_score}: give one over 0, 1 at most.")
    if not 1 <= limit <= MAX_DUPLICATES:
        raise InvalidInput(f"{limit:,} pairs were asked for: give 1 to {MAX_DUPLICATES:,}.")
    unknown = sorted(set(kinds or ()).difference(ENTITY_KINDS))
    if unknown:
        raise InvalidInput(f"{unknown[0][:60]!r} is no kind of entity: use one of {', '.join(ENTITY_KINDS)}.")
    return sorted(set(kinds or ENTITY_KINDS))


async def _fetch_entities(database: Database, kinds: Sequence[str]) -> tuple[list[Entity], bool]:
    """All entities by id, and whether there are more than are looked at."""
    found: list[Entity] = []
    while True:
        after = found[-1].node_id if found else ""
        [row] = await database.fetch(_ENTITIES, kinds=kinds, after=after, aliases=_ALIASES, limit=_PAGE)
        found += await asyncio.to_thread(_make_entities, row.entities)
        if len(row.entities) < _PAGE or len(found) > MAX_ENTITIES:
            return found[:MAX_ENTITIES], len(found) > MAX_ENTITIES


def _make_entities(rows: list[list[Any]]) -> list[Entity]:
    return [Entity.of(*row) for row in rows]


async def _fetch_cosines(
    database: Database, entities: Sequence[Entity], kinds: Sequence[str]
) -> tuple[dict[_Pair, float], tuple[Degradation, ...]]:
    """The cosines of near pairs, by their places, and what could not be asked for."""
    online = await database.find(_INDEXES)
    if online is None or not online.online:
        return {}, (Degradation("vector", "The nodes have no vectors: the names alone were compared."),)
    places = {entity.node_id: index for index, entity in enumerate(entities)}
    asked = [entity.node_id for entity in entities if not entity.forms[0].is_code]
    cosines: dict[_Pair, float] = {}
    for start in range(0, min(len(asked), MAX_VECTOR_ENTITIES), _VECTOR_PAGE):
        [row] = await database.fetch(
            _NEIGHBORS_OF, node_ids=asked[start : start + _VECTOR_PAGE], kinds=kinds, top_k=_NEIGHBORS
        )
        for node_id, other, score in row.neighbors:
            cosine = 2 * float(score) - 1
            if cosine >= _LEAST_COSINE and other in places:
                one, two = sorted((places[node_id], places[other]))
                cosines[one, two] = cosine
    if len(asked) <= MAX_VECTOR_ENTITIES:
        return cosines, ()
    reason = (
        f"Vectors of {MAX_VECTOR_ENTITIES:,} of {len(asked):,} entities were compared: choose kinds for the others."
    )
    return cosines, (Degradation("vector", reason),)


def _find_best(
    entities: Sequence[Entity], cosines: Mapping[_Pair, float], min_score: float, limit: int, stop: threading.Event
) -> list[tuple[float, _Pair, _Reasons]]:
    """The best pairs as (negative score, places, reasons), in order."""
    alike = min_score <= ALIKE

    def scored() -> Iterator[tuple[float, _Pair, _Reasons]]:
        for pair in _all_pairs(entities, cosines, alike=alike):
            if stop.is_set():
                return
            cosine = cosines.get(pair)
            by_rule = not alike and cosine is None
            score, reasons = _score(entities[pair[0]], entities[pair[1]], cosine, by_rule=by_rule)
            if score >= min_score:
                yield -score, pair, reasons

    return heapq.nsmallest(limit, scored())


def _all_pairs(entities: Sequence[Entity], cosines: Mapping[_Pair, float], *, alike: bool) -> Iterator[_Pair]:
    by_first: dict[int, list[int]] = {}
    for first, second in sorted(cosines):
        by_first.setdefault(first, []).append(second)
    for pair in Candidates(entities, alike=alike):
        near = by_first.get(pair[0])
        if near and pair[1] in near:
            near.remove(pair[1])
        yield pair
    yield from ((first, second) for first, seconds in by_first.items() for second in seconds)


def _score(a: Entity, b: Entity, cosine: float | None, *, by_rule: bool) -> tuple[float, _Reasons]:
    if a.kind != b.kind and DEFAULT_KIND not in (a.kind, b.kind):
        return 0.0, ()
    kind = b.kind if a.kind == DEFAULT_KIND else a.kind
    score, reasons = 0.0, ("",)
    for number, one in enumerate(a.forms):
        # Two aliases that are alike say little: acronyms stand for many things.
        for other_number, other in enumerate(b.forms if number == 0 else b.forms[:1]):
            match = compare_names(one, other, kind=kind, by_rule=by_rule)
            is_alias = bool(number or other_number)
            weighted = match.score * _ALIAS_WEIGHT if is_alias else match.score
            if weighted > score:
                score, reasons = weighted, (f"by an alias: {match.reason}" if is_alias else match.reason,)
    if cosine is not None and score:
        nearness = min(1.0, (cosine - _LEAST_COSINE) / (1 - _LEAST_COSINE))
        score += (1 - score) * _VECTOR_WEIGHT * nearness
        reasons = (*reasons, f"their vectors are near: {cosine:.2f}")
    return round(score, 4), reasons
