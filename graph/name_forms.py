"""A name taken apart: the words that tell it from others, and those around them."""

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import regex

from graph.folding import fold_letters, romanize, spell_out_umlauts
from graph.identity import name_key
from graph.name_dates import Day, find_day
from graph.name_words import (
    AND_WORDS,
    ARTICLES,
    ASIAN_FORMS,
    COMPANY_FORMS,
    DEGREES,
    FRONT_FORMS,
    GENERATIONS,
    HONORIFICS,
    ORDINALS,
    SAME_WORDS,
    SMALL_WORDS,
    TITLES,
)
from graph.vocabulary import DEFAULT_KIND

_WORD: Final = regex.compile(r"(?:\p{L}\.){2,}\p{L}?|[\p{L}\p{M}]+|&")
_PH_D: Final = regex.compile(r"\bPh\.?\s?D\b\.?", regex.I)
_QUOTES: Final = regex.compile("['`\u2018\u2019\u02bb\u02bc\u2032\"\u201c\u201d«»„]")
# What only identifiers, paths and versions have.
_CODE: Final = regex.compile(r"[\p{Nd}\p{No}_\\#+<>{}=$@~|*%°♭♮♯]|::|\(\)|^[./]|/.*[/.]|\p{L}\p{L}\.\p{L}\p{L}")
_HUMP: Final = regex.compile(r"\p{Ll}\p{Lu}|\p{Lu}{2}\p{Ll}")
_HUMP_KINDS: Final = frozenset({"person", "organization", "location", "award", "event", "date"})
"""Kinds whose names may have capitals inside: McDonald, OpenAI, DeKalb."""
_MAX_CHARS: Final = 300
_NONE: Final[frozenset[str]] = frozenset()


@dataclass(frozen=True, slots=True)
class NameForm:
    """A name for comparison.

    `words` are those that tell it from others, folded, in natural order ("Curie, Marie" is marie, curie); `joined` has
    them without blanks, `telling` without small words, `umlauts` with umlauts spelt out, `romanized` in Latin letters
    when they are Cyrillic. `titles` and `company` are what was taken off: `company` a legal form or more. `acronym` is
    set when the name may be one, `initials` are the letters that an acronym of it would have. `is_code` says that each
    character tells: identifiers, versions, numbers, paths. `day` is set for dates.
    """

    key: str
    words: tuple[str, ...] = ()
    joined: str = ""
    telling: tuple[str, ...] = ()
    umlauts: tuple[str, ...] = ()
    romanized: tuple[str, ...] = ()
    titles: frozenset[str] = _NONE
    company: frozenset[str] = _NONE
    acronym: str = ""
    initials: frozenset[str] = _NONE
    is_code: bool = False
    day: Day | None = None


def parse_name(name: str, kind: str) -> NameForm:
    """Take a name of a kind apart."""
    written = unicodedata.normalize("NFKC", name[:_MAX_CHARS]).strip()
    key = name_key(name)
    if _is_code(written, kind) or not _is_lettered(key):
        day = find_day(written) if kind == "date" else None
        return NameForm(key, is_code=True, day=day)
    plain = _PH_D.sub("PhD", _QUOTES.sub("", _strip_asian(written, kind)))
    whole, titles = _take_titles(_put_in_order(plain, kind), kind)
    raw, company = _take_company(whole, kind)
    raw = _put_number_last(raw) if kind == "event" else raw
    if not written.isascii() and any(form in written for form in ASIAN_FORMS):
        company |= {"asian"}
    raw = [word for word in raw if fold_letters(word) not in ARTICLES] or raw
    words = tuple(_canonical(fold_letters(word)) for word in raw)
    return NameForm(
        key=key,
        words=words,
        joined="".join(words),
        telling=tuple(word for word in words if word not in SMALL_WORDS),
        umlauts=words if written.isascii() else tuple(_canonical(spell_out_umlauts(word)) for word in raw),
        romanized=romanize(" ".join(words)),
        titles=titles,
        company=company,
        acronym=_find_acronym(raw, kind),
        initials=_find_initials(raw, kind) | (_find_initials(whole, kind) if company else _NONE),
    )


def _is_code(written: str, kind: str) -> bool:
    if _CODE.search(written):
        return True
    return " " not in written and kind not in _HUMP_KINDS and bool(_HUMP.search(written))


def _is_lettered(key: str) -> bool:
    """Whether a name begins and ends with letters: what name_key leaves outside of them tells (A*, C--, B♭)."""
    return bool(key) and unicodedata.category(key[0])[0] in "LM" and unicodedata.category(key[-1])[0] in "LM"


def _put_number_last(raw: list[str]) -> list[str]:
    """First World War is World War I."""
    number = ORDINALS.get(fold_letters(raw[0])) if len(raw) > 2 else None
    return [*raw[1:], number] if number else raw


def _strip_asian(written: str, kind: str) -> str:
    if kind in ("organization", DEFAULT_KIND):
        for form in ASIAN_FORMS:
            written = written.replace(form, " ").strip() or written
    if kind in ("person", DEFAULT_KIND):
        for end in HONORIFICS:
            if written.endswith(end) and len(written) >= len(end) + 2:
                return written[: -len(end)].strip()
    return written


def _put_in_order(plain: str, kind: str) -> list[str]:
    """The words, those of "Curie, Marie" turned round; dotted letters are initials of persons, else one word."""
    first, comma, rest = plain.partition(",")
    after = _split(rest, kind)
    reversed_ = (
        comma
        and kind in ("person", DEFAULT_KIND)
        and "," not in rest
        and not all(fold_letters(word) in _AFTER_COMMA for word in after)
    )
    return [*after, *_split(first, kind)] if reversed_ else _split(plain, kind)


_AFTER_COMMA: Final = GENERATIONS | DEGREES | COMPANY_FORMS.keys()


def _split(text: str, kind: str) -> list[str]:
    words: list[str] = []
    small = any(char.islower() for char in text)
    for word in _WORD.findall(text):
        letters = word.replace(".", "")
        if letters != "&" and not fold_letters(letters):
            continue  # nothing but marks that writers leave out
        clustered = (
            small and 1 < len(letters) <= 3 and letters.isupper() and fold_letters(letters) not in _KEPT_CAPITALS
        )
        if kind == "person" and clustered:
            words.extend(letters)  # J.R.R. and JRR
        else:
            words.append(letters)
    return words


_KEPT_CAPITALS: Final = DEGREES | GENERATIONS | TITLES | {"ii", "iii", "iv", "vi", "vii", "ix", "xi", "xii"}


def _take_titles(raw: list[str], kind: str) -> tuple[list[str], frozenset[str]]:
    if kind not in ("person", DEFAULT_KIND):
        return raw, frozenset()
    taken: list[str] = []
    kept = list(raw)
    while len(kept) > 1 and fold_letters(kept[0]) in TITLES:
        taken.append(fold_letters(kept.pop(0)))
    while len(kept) > 1 and fold_letters(kept[-1]) in DEGREES:
        taken.append(fold_letters(kept.pop()))
    return kept, frozenset(taken)


def _take_company(raw: list[str], kind: str) -> tuple[list[str], frozenset[str]]:
    if kind not in ("organization", DEFAULT_KIND):
        return raw, frozenset()
    taken: set[str] = set()
    kept = list(raw)
    while len(kept) > 1 and (form := _company_form(kept[-1])):
        taken.add(form)
        kept.pop()
        if len(kept) > 1 and fold_letters(kept[-1]) in AND_WORDS:
            kept.pop()
    if len(kept) > 1 and fold_letters(kept[0]) in FRONT_FORMS:
        taken.add(fold_letters(kept.pop(0)))
    return kept, frozenset(taken)


def _company_form(word: str) -> str | None:
    # Short ones are words of their own in small letters: `as`, `se`.
    return None if len(word) == 2 and word.islower() else COMPANY_FORMS.get(fold_letters(word))


def _canonical(word: str) -> str:
    if word in AND_WORDS:
        return "&"
    if len(word) > 8 and word.endswith(("isation", "isations")):
        return word.replace("isation", "ization")
    return SAME_WORDS.get(word, word)


def _find_acronym(raw: Sequence[str], kind: str) -> str:
    if len(raw) != 1 or kind in ("person", "date") or not 2 <= len(raw[0]) <= 10:
        return ""
    word = raw[0]
    capitals = sum(char.isupper() for char in word)
    return fold_letters(word) if capitals >= 2 and capitals * 2 > len(word) else ""


def _find_initials(raw: Sequence[str], kind: str) -> frozenset[str]:
    if not 2 <= len(raw) <= 12 or kind in ("person", "date"):
        return frozenset()
    parts = [part for word in raw for part in _HUMPS.findall(word)]
    folded = [one for part in parts if part != "&" and (one := fold_letters(part))]
    every = "".join(part[0] for part in folded)
    telling = "".join(part[0] for part in folded if part not in SMALL_WORDS)
    return frozenset(one for one in (every, telling) if len(one) >= 2)


_HUMPS: Final = regex.compile(r"\p{Lu}+(?=\p{Lu}\p{Ll})|\p{Lu}?\p{Ll}+|\p{Lu}+|[\p{L}\p{M}]+")
