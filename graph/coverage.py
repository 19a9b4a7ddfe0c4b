"""How much of a query a hit of the full-text search says: `the` and `and` are found everywhere and tell nothing."""

import math
from collections.abc import Collection, Mapping, Sequence
from itertools import pairwise

from graph.terms import index_terms


def measure_coverage(query: str, matched: Mapping[str, Collection[str]]) -> dict[str, float]:
    """For each hit, by id, the part of the query that it says, 0 to 1; `matched` has the terms that it says.

    A word weighs the more the fewer hits say it, most of all when none does: what says only the words that all say is
    no answer. That needs no list of stop words, so it is the same in every language.
    """
    words = [terms for terms in (tuple(index_terms(word).split(" ")) for word in query.split()) if terms[0]]
    if not words:
        return dict.fromkeys(matched, 0.0)
    joined = [first[0] + second[0] for first, second in pairwise(words)]
    shares = {hit: _shares(words, joined, frozenset(terms)) for hit, terms in matched.items()}
    said_by = [sum(share[number] >= 0.5 for share in shares.values()) for number in range(len(words))]
    weights = [math.log1p((len(shares) + 1) / (count + 0.5)) for count in said_by]
    whole = math.fsum(weights)
    return {
        hit: math.fsum(weight * part for weight, part in zip(weights, share, strict=True)) / whole
        for hit, share in shares.items()
    }


def _shares(words: Sequence[tuple[str, ...]], joined: Sequence[str], said: frozenset[str]) -> list[float]:
    """The part of each word that is said: all of it when it is, or when it is together with a neighbour."""
    together = [pair in said for pair in joined]
    beside = [before or after for before, after in zip((False, *together), (*together, False), strict=True)]
    return [
        1.0 if near or terms[0] in said else sum(term in said for term in terms[1:]) / max(1, len(terms) - 1)
        for terms, near in zip(words, beside, strict=True)
    ]
