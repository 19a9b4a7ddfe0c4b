"""Spans as a model gives them, and what is made of them: exact, trimmed, one at a place."""

import unicodedata
from bisect import bisect_left, insort
from collections.abc import Iterable
from typing import Final, NamedTuple

from extraction.entities.base import EntitySpan

_CLOSER_OF: Final = dict(zip("([{<“„‘«‹（［｛「『《〈【`*_", ")]}>””’»›）］｝」』》〉】`*_", strict=True))
_OPENER_OF: Final = {close: opener for opener, close in _CLOSER_OF.items()}
_WRAPS: Final = frozenset("`*_")  # around a word in markup, but `A*` is a name
_ALWAYS_AT_START: Final = frozenset("\"'”’»›")
_ALWAYS_AT_END: Final = frozenset("\"'“„‘’,;:")


class Found(NamedTuple):
    """What a model says: these characters of the text it read name a thing of this kind."""

    start: int
    end: int
    kind: str
    score: float


def settle_spans(text: str, found: Iterable[Found]) -> list[EntitySpan]:
    """Trim spans and keep, where some overlap, the one of the highest score, then the longest, then the first."""
    trimmed = {one._replace(start=start, end=end) for one in found for start, end in [trim(text, one.start, one.end)]}
    kept: list[Found] = []
    for one in sorted(trimmed, key=lambda one: (-one.score, one.start - one.end, one.start, one.kind)):
        if one.start < one.end and _is_free(kept, one):
            insort(kept, one)
    return [EntitySpan(one.start, one.end, text[one.start : one.end], one.kind, one.score) for one in kept]


def trim(text: str, start: int, end: int) -> tuple[int, int]:
    """The span without blanks, quotes and brackets around it, whole letters at its ends; empty without a letter."""
    start, end = _take_marks(text, start, end)
    before = None
    while before != (start, end):
        before = (start, end)
        start, end = _unwrap(text, *_strip(text, start, end))
    return (start, end) if any(char.isalnum() for char in text[start:end]) else (start, start)


def _is_free(kept: list[Found], one: Found) -> bool:
    place = bisect_left(kept, one)
    return (place == 0 or kept[place - 1].end <= one.start) and (place == len(kept) or one.end <= kept[place].start)


def _take_marks(text: str, start: int, end: int) -> tuple[int, int]:
    """Take in the accents and vowel signs that a model's word pattern leaves outside of a word."""
    while 0 < start < end and _is_mark(text[start]):
        start -= 1
    while end < len(text) and _is_mark(text[end]):
        end += 1
    return start, end


def _strip(text: str, start: int, end: int) -> tuple[int, int]:
    while start < end and (_is_blank(text[start]) or text[start] in _ALWAYS_AT_START):
        start += 1
    while start < end and (_is_blank(text[end - 1]) or text[end - 1] in _ALWAYS_AT_END):
        end -= 1
    return start, end


def _unwrap(text: str, start: int, end: int) -> tuple[int, int]:
    """Drop a bracket at an end unless its partner is inside: `(R)-glucose` and `f(x)` stay what they are."""
    if end - start < 2:
        return start, end
    first, last = text[start], text[end - 1]
    if _CLOSER_OF.get(first) == last and (first in _WRAPS or text.find(last, start + 1, end) == end - 1):
        return start + 1, end - 1
    if first in _CLOSER_OF and first not in _WRAPS and text.find(_CLOSER_OF[first], start + 1, end) < 0:
        return start + 1, end
    if last in _OPENER_OF and last not in _WRAPS and text.find(_OPENER_OF[last], start, end - 1) < 0:
        return start, end - 1
    return start, end


def _is_blank(char: str) -> bool:
    """Blanks, what has no ink, and pictures."""
    return char.isspace() or char == "\ufe0f" or unicodedata.category(char) in ("Cc", "Cf", "Zs", "So")


def _is_mark(char: str) -> bool:
    return unicodedata.category(char)[0] == "M"
