"""A long text in parts that a model can take in at once, cut at the ends of sentences."""

import re
from typing import Final

from extraction.claims.spans import Span

PART_CHARS: Final = 3_000
"""The most characters that are asked about at once."""

_ENDS: Final = (re.compile(r"\n[^\S\n]*\n\s*"), re.compile(r"(?:[.!?…][\"'”’»)\]]*\s+|[。！？])"), re.compile(r"\s+"))


def cut_parts(text: str) -> list[Span]:
    """The parts of a text, in order; together they are all of it."""
    parts: list[Span] = []
    start = 0
    while len(text) - start > PART_CHARS:
        cut = _find_cut(text, start, start + PART_CHARS)
        parts.append(Span(start, cut))
        start = cut
    return [*parts, Span(start, len(text))]


def _find_cut(text: str, start: int, limit: int) -> int:
    """The last end of a paragraph, a sentence or a word in the second half of what is allowed, else the limit."""
    for pattern in _ENDS:
        ends = [match.end() for match in pattern.finditer(text, (start + limit) // 2, limit)]
        if ends:
            return ends[-1]
    return limit
