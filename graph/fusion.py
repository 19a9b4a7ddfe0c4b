"""Ranked lists made one by reciprocal rank: what several lists find comes before what one finds.

A hit of the full-text search counts as far as it says what was asked: a text in which nothing of a question stands but
`the` is in that list too, and would come before the best answer that uses other words.

Source: Cormack, Clarke and Büttcher, Reciprocal Rank Fusion outperforms Condorcet and individual Rank Learning
Methods, SIGIR 2009, from which k = 60.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

K: Final = 60


@dataclass(frozen=True, slots=True)
class Place:
    """Where an item stands in one list, from 1, and the score that it has there."""

    rank: int
    score: float


@dataclass(frozen=True, slots=True)
class Fused:
    """An item with its places; `score` is that of the one list, or the weighted sum of 1 / (60 + rank) over both."""

    item_id: str
    score: float
    text: Place | None
    vector: Place | None


Scored = Sequence[tuple[str, float]]
"""Ids with scores, best first."""


def fuse(
    *, text: Scored | None, vector: Scored | None, coverage: Mapping[str, float] = MappingProxyType({})
) -> list[Fused]:
    """The items of both lists, best first, ties by id; a list that is None was not searched.

    `coverage` is the part of the query that a hit of the full-text search says, 1 where it is not given.
    """
    by_text, by_vector = _places(text or ()), _places(vector or ())
    both = text is not None and vector is not None
    fused: list[Fused] = []
    for item_id in by_text | by_vector:
        in_text, in_vector = by_text.get(item_id), by_vector.get(item_id)
        if both:
            score = coverage.get(item_id, 1.0) ** 2 * _share(in_text) + _share(in_vector)
        else:
            score = math.fsum(place.score for place in (in_text, in_vector) if place is not None)
        fused.append(Fused(item_id, score, in_text, in_vector))
    return sorted(fused, key=lambda item: (-item.score, item.item_id))


def _places(scored: Scored) -> dict[str, Place]:
    return {item_id: Place(rank, score) for rank, (item_id, score) in enumerate(scored, start=1)}


def _share(place: Place | None) -> float:
    return 0.0 if place is None else 1 / (K + place.rank)
