"""The best hits of a search put in order once more, by whoever can read them better than a list of ranks can."""

import asyncio
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from operator import mul
from typing import Final

from graph.answers import Degradation
from graph.errors import CogniverseError

PART: Final = "rerank"
DEPTH: Final = 50
"""How many of the best hits are put in order."""

_BALANCE: Final = 0.7


@dataclass(frozen=True, slots=True)
class Candidate:
    """A hit as a reranker sees it. `vector` is of unit length, None when it was not asked for or there is none."""

    item_id: str
    text: str
    score: float
    vector: Sequence[float] | None = None


@dataclass(frozen=True, slots=True)
class Reranker:
    """Given the query and the candidates, best first, `order` returns their numbers, from 0, in a better order.

    It may block, and may raise a CogniverseError: the hits stay as they were then.
    """

    order: Callable[[str, Sequence[Candidate]], Sequence[int]]
    wants_vectors: bool = False


async def rerank(
    reranker: Reranker, query: str, candidates: Sequence[Candidate]
) -> tuple[list[str], tuple[Degradation, ...]]:
    """The ids of the candidates in the reranker's order, or as they were and why."""
    unchanged = [candidate.item_id for candidate in candidates]
    try:
        order = await asyncio.to_thread(reranker.order, query, candidates)
    except CogniverseError as exc:
        return unchanged, (Degradation(PART, str(exc)),)
    if sorted(order) != list(range(len(candidates))):
        return unchanged, (Degradation(PART, "The reranker lost or repeated hits: their order was left as it was."),)
    return [unchanged[number] for number in order], ()


def order_by_mmr(_query: str, candidates: Sequence[Candidate]) -> list[int]:
    """Maximal marginal relevance: each next one is good and says something that those before it do not.

    Relevance is the score as a part of the best one. Candidates without a vector are like no other.
    Source: Carbonell and Goldstein, The Use of MMR, Diversity-Based Reranking, SIGIR 1998.
    """
    best = max((candidate.score for candidate in candidates), default=0.0) or 1.0
    relevance = [candidate.score / best for candidate in candidates]
    likeness = [0.0] * len(candidates)
    left = list(range(len(candidates)))
    order: list[int] = []
    while left:
        chosen = max(left, key=lambda one: (_BALANCE * relevance[one] - (1 - _BALANCE) * likeness[one], -one))
        left.remove(chosen)
        order.append(chosen)
        for one in left:
            likeness[one] = max(likeness[one], _similarity(candidates[one].vector, candidates[chosen].vector))
    return order


MMR: Final = Reranker(order_by_mmr, wants_vectors=True)


def _similarity(first: Sequence[float] | None, second: Sequence[float] | None) -> float:
    return 0.0 if first is None or second is None else math.fsum(map(mul, first, second))
