"""Long texts in windows that a model can read whole, and what was found in them put together again."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise

from extraction.documents.windows import split_windows
from extraction.entities.legible import WORD
from extraction.entities.spans import Found


@dataclass(frozen=True, slots=True)
class Window:
    """Characters `start` to `end` of a text; of what is found there, what begins in `keep_from` to `keep_to` counts."""

    start: int
    end: int
    keep_from: int
    keep_to: int


def make_windows(text: str, *, max_words: int, overlap: int, fits: Callable[[str], bool]) -> list[Window]:
    """The windows of a text, those without a word left out. Neighbours share `overlap` words or more.

    In what two windows share, the first half is the left one's, so that each sees words on both sides of a name.
    """
    spans = _drop_inner([span for span in _split(text, max_words, overlap, fits) if WORD.search(text, *span)])
    cuts = [0, *(_middle(text, right[0], left[1]) for left, right in pairwise(spans)), len(text)]
    return [Window(*span, *kept) for span, kept in zip(spans, pairwise(cuts), strict=True)] if spans else []


def place(window: Window, found: Iterable[Found]) -> Iterator[Found]:
    """What was found in a window, by its place in the whole text."""
    for one in found:
        start = window.start + one.start
        if window.keep_from <= start < window.keep_to:
            yield one._replace(start=start, end=window.start + one.end)


def _split(text: str, max_words: int, overlap: int, fits: Callable[[str], bool]) -> Iterator[tuple[int, int]]:
    """Windows by words, and by half as many where those have more tokens than the model has places for."""
    for start, end in split_windows(text, max_words=max_words, overlap=min(overlap, max_words // 2)):
        part = text[start:end]
        if max_words <= 1 or fits(part):
            yield start, end
            continue
        for begin, stop in _split(part, max_words // 2, overlap, fits):
            yield start + begin, start + stop


def _drop_inner(spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Without those that lie inside of another: starts and ends rise."""
    kept: list[tuple[int, int]] = []
    for start, end in sorted(spans, key=lambda span: (span[0], -span[1])):
        if not kept or end > kept[-1][1]:
            kept.append((start, end))
    return kept


def _middle(text: str, start: int, end: int) -> int:
    """Where the second half of what two windows share begins, at a word."""
    words = [match.start() for match in WORD.finditer(text, start, end)] if start < end else []
    return words[len(words) // 2] if words else start
