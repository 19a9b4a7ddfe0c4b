"""Short forms that a text explains in brackets: "World Bank Group (WBG)", "WBG (World Bank Group)".

Source: Schwartz, Hearst, "A simple algorithm for identifying abbreviation definitions in biomedical text", 2003. Ours
is stricter: no word of the long form but small ones (of, the) may go without a letter, and a word gives its first
letter, so that figures, years and places in brackets are none.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, TypeAlias

import regex

from graph.folding import fold_letters
from graph.name_words import COMPANY_FORMS, SMALL_WORDS

_MAX_SHORT: Final = 10
_MAX_LONG: Final = 300
_MAX_OF_WORD: Final = 5
_BRACKETS: Final = regex.compile(r"[(（]([^()（）\n]{2,200})[)）]")
_WORD: Final = regex.compile(r"[\p{L}\p{N}\p{M}]+(?:['\u2019&.][\p{L}\p{N}\p{M}]+)*")
_SHORT: Final = regex.compile(r"[\p{L}\p{N}][\p{L}\p{N}\p{M}.&/-]*")
_SENTENCE_END: Final = regex.compile(r"[.!?;:][\s\"'»\u201d]|[\n()\[\]（）。！？；：]")
_HUMPS: Final = regex.compile(r"\p{Lu}+(?=\p{Lu}\p{Ll})|\p{Lu}?[\p{Ll}\p{M}]+|\p{Lu}+|[\p{L}\p{M}]+|\p{N}+")
_Word: TypeAlias = tuple[int, int, str]


@dataclass(frozen=True, slots=True)
class Acronym:
    """A short form and what it stands for; `text[short_start:short_end] == short`, the same for `long`."""

    short: str
    long: str
    short_start: int
    short_end: int
    long_start: int
    long_end: int


def find_acronyms(text: str) -> list[Acronym]:
    """The short forms that the text explains, in the order of their brackets; a doubtful one is left out."""
    return list(_find(text))


def _find(text: str) -> Iterator[Acronym]:
    for match in _BRACKETS.finditer(text):
        start, end = _inner(text, match.start(1), match.end(1))
        found = _short_inside(text, match.start(), start, end) or _long_inside(text, match.start(), start, end)
        if found is not None:
            yield found


def _inner(text: str, start: int, end: int) -> tuple[int, int]:
    """What is said first in the brackets: "WHO; founded 1948" says WHO."""
    inside = re.split(r"[;,]\s", text[start:end], maxsplit=1)[0]
    left = start + len(inside) - len(inside.lstrip(" \t\"'\u201c\u201d«»"))
    return left, max(left, start + len(inside.rstrip(" \t\"'\u201c\u201d«»")))


def _short_inside(text: str, bracket: int, start: int, end: int) -> Acronym | None:
    short = text[start:end]
    if not _is_short(short):
        return None
    words = _words_before(text, bracket, len(_letters(short)))
    place = _match(words, short)
    if place is None:
        return None
    long_start, long_end = words[place][0], words[-1][1]
    return Acronym(short, text[long_start:long_end], start, end, long_start, long_end)


def _long_inside(text: str, bracket: int, start: int, end: int) -> Acronym | None:
    before = text[:bracket].rstrip(" \t")
    words = [(match.start(), match.end(), match[0]) for match in _WORD.finditer(text, start, end)]
    if bracket - len(before) > 1 or len(words) < 2:
        return None
    last = re.search(r"\S{2,20}$", before[-21:])
    short_start = len(before) - len(last[0]) if last else 0
    short = _SHORT.search(text, short_start, len(before)) if last else None
    if short is None or short.end() != len(before) or not _is_short(short[0]) or _match(words, short[0]) != 0:
        return None
    long_end = end if text[words[-1][1] : end].strip() == "" else words[-1][1]
    return Acronym(short[0], text[words[0][0] : long_end], short.start(), short.end(), words[0][0], long_end)


def _is_short(text: str) -> bool:
    """Two capitals at least, and half of all letters: MIT, DoD, siRNA, U.S., ООН."""
    if not _SHORT.fullmatch(text) or not 2 <= len(_letters(text)) <= _MAX_SHORT:
        return False
    capitals = sum(char.isupper() for char in text)
    return capitals >= 2 and capitals * 2 >= sum(char.isalpha() for char in text)


def _letters(short: str) -> str:
    return "".join(char for char in short if char.isalnum())


def _words_before(text: str, bracket: int, letters: int) -> list[_Word]:
    """The words of the sentence up to the bracket, at most so many as a long form may have."""
    start = max(0, bracket - _MAX_LONG)
    cut = max((match.end() for match in _SENTENCE_END.finditer(text, start, bracket)), default=start)
    words = [(match.start(), match.end(), match[0]) for match in _WORD.finditer(text, cut, bracket)]
    touching = bool(words) and not text[words[-1][1] : bracket].strip(" \t\"'\u201d\u2019»")
    return words[-min(letters + 5, letters * 2) :] if touching else []


def _match(words: list[_Word], short: str) -> int | None:
    """Where the long form begins: the shortest run of last words that the short form's letters spell."""
    letters = fold_letters(_letters(short))
    for place in range(len(words) - 2, -1, -1):
        run = [word for _, _, word in words[place:]]
        if fold_letters(run[0][0]) == letters[0] and _spells(run, letters) and not _is_chance(run, letters):
            return place
    return None


def _spells(run: list[str], letters: str) -> bool:
    """Whether the words, one after the other, give all letters; small words and a company's form may give none."""
    reached = {0}
    for index, word in enumerate(run):
        parts = [fold_letters(part) for part in _HUMPS.findall(word)]
        whole, starts = "".join(parts), "".join(part[0] for part in parts)
        skipped = index and (whole in SMALL_WORDS or (index == len(run) - 1 and whole in COMPANY_FORMS))
        reached = (reached if skipped else set[int]()) | {
            done + size
            for done in reached
            for size in range(1, min(len(letters) - done, _MAX_OF_WORD) + 1)
            if _gives(whole, starts, letters[done : done + size])
        }
    return len(letters) in reached


def _gives(whole: str, starts: str, taken: str) -> bool:
    """Whether a word gives these letters: HyperText HT, RNA itself, networks NS."""
    if starts.startswith(taken) or whole == taken:
        return True
    return len(taken) == 2 and whole[:1] == taken[0] and taken[1] in whole[1:]


def _is_chance(run: list[str], letters: str) -> bool:
    """Whether two letters met two words that hardly are one name: "met Pierre (MP)"."""
    telling = [word for word in run if fold_letters(word) not in SMALL_WORDS]
    return len(letters) == 2 and len({word[0].isupper() for word in telling}) == 2
