"""Where a text says something, exactly or but for white space, quotes, dashes and case: always places in that text."""

import bisect
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final

import regex

_GRAPHEME: Final = regex.compile(r"\X")
# In these scripts a word ends where its letters do; in others (Chinese, Thai, Korean with its endings) it may not.
_SPACED: Final = regex.compile(r"[\p{Latin}\p{Greek}\p{Cyrillic}\p{Nd}]")
_FOLDED: Final = {
    **dict.fromkeys("\u2018\u2019\u201a\u201b\u2032\u00b4`", "'"),
    **dict.fromkeys("\u201c\u201d\u201e\u201f\u2033\u00ab\u00bb", '"'),
    **dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212", "-"),
}


@dataclass(frozen=True, slots=True)
class Span:
    """`text[start:end]` of the text that was searched."""

    start: int
    end: int

    def holds(self, other: "Span") -> bool:
        """Tell whether another lies within this one."""
        return self.start <= other.start and other.end <= self.end

    def distance(self, other: "Span") -> int:
        """Characters between the two, 0 where they touch or overlap."""
        return max(0, other.start - self.end, self.start - other.end)


@dataclass(frozen=True, slots=True)
class _Form:
    """A rewritten text and, for each of its characters, where in the source its letter begins and ends."""

    text: str
    starts: list[int] = field(repr=False)
    ends: list[int] = field(repr=False)


class SearchedText:
    """A text that is searched again and again. It is never changed: its rewritten forms only lead back to it."""

    def __init__(self, text: str) -> None:
        self.text = text

    @cached_property
    def _spaced(self) -> _Form:
        return _rewrite(self.text, fold=False)

    @cached_property
    def _folded(self) -> _Form:
        return _rewrite(self.text, fold=True)

    def find_exact(self, words: str) -> list[Span]:
        """Where the text has these very characters, as whole words."""
        return [span for span in _search(self.text, words) if self._is_whole(span)]

    def find(self, words: str) -> list[Span]:
        """Where the text says this, by the strictest way that finds anything: exact, other white space, other marks."""
        return self.find_exact(words) or self._find_in(words, fold=False) or self._find_in(words, fold=True)

    def _find_in(self, words: str, *, fold: bool) -> list[Span]:
        form = self._folded if fold else self._spaced
        wanted = _rewrite(words, fold=fold).text.strip()
        found = (Span(form.starts[hit.start], form.ends[hit.end - 1]) for hit in _search(form.text, wanted))
        return [span for span in found if self._is_whole(span)]

    def _is_whole(self, span: Span) -> bool:
        return not self._cuts_word(span.start) and not self._cuts_word(span.end)

    def _cuts_word(self, place: int) -> bool:
        if not 0 < place < len(self.text):
            return False
        return bool(_SPACED.match(self.text[place - 1]) and _SPACED.match(self.text[place]))


def has_word(text: str) -> bool:
    """Tell whether there is a letter or a digit in it."""
    return any(char.isalnum() for char in text)


def nearest(spans: list[Span], to: Span) -> Span:
    """The one with the fewest characters between, the first of equals. `spans` is in order and not empty."""
    return min(spans, key=to.distance)


def last_before(spans: list[Span], place: int) -> Span | None:
    """The last one that ends before a place. `spans` is in order."""
    count = bisect.bisect_right([span.end for span in spans], place)
    return spans[count - 1] if count else None


def _search(text: str, words: str) -> Iterator[Span]:
    place = text.find(words) if words else -1
    while place >= 0:
        yield Span(place, place + len(words))
        place = text.find(words, place + 1)


def _rewrite(text: str, *, fold: bool) -> _Form:
    parts: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    for start, end in _letters(text):
        letter = text[start:end]
        written = " " if letter.isspace() else _fold(letter) if fold else letter
        if written == " " and parts and parts[-1] == " ":
            ends[-1] = end
            continue
        parts.extend(written)
        starts.extend([start] * len(written))
        ends.extend([end] * len(written))
    return _Form("".join(parts), starts, ends)


def _letters(text: str) -> Iterator[tuple[int, int]]:
    """Each letter with its marks: only together do they have one normal form."""
    if text.isascii():
        yield from ((place, place + 1) for place in range(len(text)))
    else:
        yield from (match.span() for match in _GRAPHEME.finditer(text))


def _fold(letter: str) -> str:
    normal = unicodedata.normalize("NFKC", "".join(_FOLDED.get(char, char) for char in letter)).casefold()
    return "".join(char for char in unicodedata.normalize("NFKC", normal) if unicodedata.category(char) != "Cf")
