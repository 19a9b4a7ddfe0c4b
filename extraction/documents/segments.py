"""How a text is cut into segments: whole paragraphs, about 2,000 characters together.

Documents are cut by pages, headings and sentences besides; texts without any known form by their signs alone.
"""

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterator
from typing import Final

from extraction.documents.sentences import find_sentence_ends
from extraction.documents.text import DocumentText, Mark
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
_BLOCK_AT_LEAST: Final = 500
"""Blocks of fewer characters are filled up, over headings too."""
_UNMARKED: Final = Mark(0)


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
        label = _number(labels, f"L{line}")
        segments.append(Segment(segment_id(document, label), label, len(segments), part, start, line, modality))
    return tuple(segments)


def cut_document(document: DocumentId, text: DocumentText, *, modality: Modality) -> tuple[Segment, ...]:
    """The segments of a document that was read, in order. They cover its text but for stretches of blanks alone.

    A segment never spans two pages; it ends before a heading unless it were a tiny one then, and after a sentence
    unless that is longer than a segment. It is named by its page (`p3`, then `p3.2`), without pages by its first line.
    """
    whole, marks = text.text, text.marks
    places = [mark.char_offset for mark in marks]
    segments: list[Segment] = []
    labels: dict[str, int] = {}
    line, counted = 1, 0
    for start, end in _blocks(text):
        part = whole[start:end]
        if part.isspace():
            continue
        line += whole.count("\n", counted, start)
        counted = start
        visible = start + len(part) - len(part.lstrip())
        mark = marks[bisect_right(places, visible) - 1] if places and places[0] <= visible else _UNMARKED
        label = _number(labels, f"L{line}" if mark.page is None else f"p{mark.page}")
        key = segment_id(document, label)
        segments.append(Segment(key, label, len(segments), part, start, line, modality, mark.page, mark.heading))
    return tuple(segments)


def _blocks(document: DocumentText) -> Iterator[tuple[int, int]]:
    text = document.text
    heads = [mark.char_offset for mark in document.marks]
    for start, stop in _between(_page_starts(document.marks), len(text)):
        begin = start
        for left, right in _between(_paragraph_starts(text, heads, start, stop), stop):
            is_full = right - begin > SEGMENT_CHARS or _is_at(heads, left)
            if is_full and left - begin >= _BLOCK_AT_LEAST:
                yield begin, left
                begin = left
            while right - begin > SEGMENT_CHARS:
                end = _find_sentence_cut(text, begin, right)
                yield begin, end
                begin = end
        if stop > begin:
            yield begin, stop


def _page_starts(marks: tuple[Mark, ...]) -> list[int]:
    pages = [None, *(mark.page for mark in marks)]
    return [0, *(mark.char_offset for mark, before in zip(marks, pages, strict=False) if mark.page != before)]


def _paragraph_starts(text: str, heads: list[int], start: int, stop: int) -> list[int]:
    starts = {match.end() for match in _PARAGRAPH_END.finditer(text, start, stop)}
    starts.update(heads[bisect_right(heads, start) : bisect_right(heads, stop - 1)])
    return sorted({start, *starts} - {stop})


def _between(starts: list[int], stop: int) -> Iterator[tuple[int, int]]:
    return ((left, right) for left, right in zip(starts, [*starts[1:], stop], strict=True) if right > left)


def _is_at(places: list[int], place: int) -> bool:
    index = bisect_right(places, place) - 1
    return index >= 0 and places[index] == place


def _find_sentence_cut(text: str, start: int, stop: int) -> int:
    """After the last sentence that fits, when it makes no tiny block or saves the next sentence; else as for any text.

    A sentence that is longer than a segment is cut somewhere anyway, so none before it has to stand alone for it.
    """
    limit = start + SEGMENT_CHARS
    cut = max(find_sentence_ends(text, start, limit), default=start)
    if cut - start >= _BLOCK_AT_LEAST:
        return cut
    if cut > start:
        following = next(find_sentence_ends(text, limit, min(stop, cut + SEGMENT_CHARS)), None)
        if following is not None or stop - cut <= SEGMENT_CHARS:
            return cut
    return _find_cut(text, start, limit)


def _number(labels: dict[str, int], label: str) -> str:
    labels[label] = labels.get(label, 0) + 1
    return label if labels[label] == 1 else f"{label}.{labels[label]}"


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
