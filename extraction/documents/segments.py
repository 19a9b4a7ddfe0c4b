"""How a text is cut into segments: whole paragraphs, about 2,000 characters together."""

import re
import unicodedata
from collections.abc import Iterator
from typing import Final

from graph.identity import segment_id
from graph.model import DocumentId, Modality, Segment

SEGMENT_CHARS: Final = 2_000
"""The most characters of a segment."""

VERSION: Final = "1"
"""Raised whenever the same text would be cut elsewhere."""

_PARAGRAPH_END: Final = re.compile(r"\n[^\S\n]*\n\s*")
# Where a long paragraph is cut, the best place first: after a sentence, a line, a word.
_ENDS: Final = (re.compile(r"(?:[.!?…][\"'”’»)\]]*\s+|[。！？])"), re.compile(r"\n"), re.compile(r"\s+"))
_JOINERS: Final = frozenset("\u200d\ufe0e\ufe0f")
_MARKS_AT_MOST: Final = 64


def cut_text(document: DocumentId, text: str, *, modality: Modality) -> tuple[Segment, ...]:
    """The segments of a text, in order. They cover all of it but for stretches of blanks alone; none is empty.

    A segment is named by the line that it begins in, and its number there from the second on.
    """
    segments: list[Segment] = []
    labels: dict[str, int] = {}
    line, counted = 1, 0
    for start, end in _spans(text):
        part = text[start:end]
        if part.isspace():
            continue
        line += text.count("\n", counted, start)
        counted = start
        label = f"L{line}"
        labels[label] = labels.get(label, 0) + 1
        label = label if labels[label] == 1 else f"{label}.{labels[label]}"
        segments.append(Segment(segment_id(document, label), label, len(segments), part, start, line, modality))
    return tuple(segments)


def _spans(text: str) -> Iterator[tuple[int, int]]:
    """Paragraphs together up to the limit; those over it by themselves, in pieces."""
    begin = end = 0
    for start, stop in _paragraphs(text):
        if stop - begin > SEGMENT_CHARS and end > begin:
            yield begin, end
            begin = start
        *whole, (begin, end) = _pieces(text, begin, stop)
        yield from whole
    if end > begin:
        yield begin, end


def _paragraphs(text: str) -> Iterator[tuple[int, int]]:
    start = 0
    for match in _PARAGRAPH_END.finditer(text):
        yield start, match.end()
        start = match.end()
    if start < len(text):
        yield start, len(text)


def _pieces(text: str, start: int, stop: int) -> Iterator[tuple[int, int]]:
    while stop - start > SEGMENT_CHARS:
        cut = _find_cut(text, start, start + SEGMENT_CHARS)
        yield start, cut
        start = cut
    yield start, stop


def _find_cut(text: str, start: int, limit: int) -> int:
    """The best place in the second half of what is allowed, else the limit, with no mark torn from its letter."""
    middle = (start + limit) // 2
    for pattern in _ENDS:
        ends = [match.end() for match in pattern.finditer(text, middle, limit)]
        if ends:
            return ends[-1]
    cut = limit
    while limit - cut < _MARKS_AT_MOST and _is_joined(text, cut):
        cut -= 1
    return limit if _is_joined(text, cut) else cut


def _is_joined(text: str, place: int) -> bool:
    return unicodedata.combining(text[place]) > 0 or text[place] in _JOINERS or text[place - 1] == "\u200d"
