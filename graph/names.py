"""How likely two names are spellings of one: rules that a reader can check, RapidFuzz for slips of the pen."""

from dataclasses import dataclass
from typing import Final

from rapidfuzz import fuzz
from rapidfuzz.distance import Levenshtein

from graph.name_forms import NameForm, parse_name
from graph.name_words import FEMALE_TITLES, GENERATIONS, MALE_TITLES, ROMAN_NUMERAL
from graph.vocabulary import DEFAULT_KIND

ALIKE: Final = 0.7
"""The most for names that are merely alike, below what is suggested by default."""
_PLURAL_KINDS: Final = frozenset(
    {"concept", "technology", "field", "algorithm", "model", "substance", "product", "award", "event"}
)
_SLIP_KINDS_OUT: Final = frozenset({"substance", "date", "algorithm"})
"""Kinds where one letter makes another thing: methane, methene."""
_CAREFUL_KINDS: Final = frozenset({"person", "language"})
"""Kinds where one letter often does: Jon, Johnston, Siberian."""


@dataclass(frozen=True, slots=True)
class NameMatch:
    """How alike two names are, in [0, 1], and why."""

    score: float
    reason: str


NO_MATCH: Final = NameMatch(0.0, "")


def score_names(a: str, b: str, *, kind: str) -> float:
    """How likely two names of one kind of thing mean the same, in [0, 1], the same in either order.

    1.0 is one normalised name. From 0.8 on a rule of names holds (accents, titles, legal forms, initials, acronyms, a
    slip of the pen); below they are merely alike. Code-like names (digits, identifiers, paths) are the same or 0.0.
    """
    return compare_names(parse_name(a, kind), parse_name(b, kind), kind=kind).score


def compare_names(a: NameForm, b: NameForm, *, kind: str, by_rule: bool = False) -> NameMatch:
    """Compare two names that were taken apart; see `score_names`. With `by_rule`, names merely alike score 0."""
    if a.key == b.key:
        return NameMatch(1.0, "the same name")
    if a.day is not None and a.day == b.day:
        return NameMatch(0.95, "the same day")
    if a.is_code or b.is_code or not a.words or not b.words or _contradict(a, b):
        return NO_MATCH
    for rule in _RULES:
        found = rule(a, b, kind)
        if found is not None:
            return found
    return NO_MATCH if by_rule else _alike(a, b)


def _alike(a: NameForm, b: NameForm) -> NameMatch:
    if sorted(a.words) == sorted(b.words):
        return NameMatch(ALIKE, "the same words in another order")
    return NameMatch(round(ALIKE * fuzz.ratio(" ".join(a.words), " ".join(b.words)) / 100, 4), "alike")


def _contradict(a: NameForm, b: NameForm) -> bool:
    if a.company and b.company and not (a.company <= b.company or b.company <= a.company):
        return True
    titles, others = a.titles, b.titles
    if not titles or not others:
        return False
    return (_one_sex(titles, FEMALE_TITLES, MALE_TITLES) and _one_sex(others, MALE_TITLES, FEMALE_TITLES)) or (
        _one_sex(titles, MALE_TITLES, FEMALE_TITLES) and _one_sex(others, FEMALE_TITLES, MALE_TITLES)
    )


def _one_sex(titles: frozenset[str], these: frozenset[str], others: frozenset[str]) -> bool:
    return bool(titles & these) and not titles & others


def _same_words(a: NameForm, b: NameForm, _kind: str) -> NameMatch | None:
    if not (a.words == b.words or a.umlauts == b.words or a.words == b.umlauts):
        return None
    if len(a.words) == 1 and bool(a.acronym) != bool(b.acronym):
        return None  # The Who, WHO
    if a.titles != b.titles:
        # "Mrs. Curie" is whoever of the Curies is meant there.
        return NameMatch(0.92, "the same but for a title") if len(a.words) > 1 else NameMatch(0.7, "the same surname")
    if a.company != b.company:
        return NameMatch(0.9, "the same but for the legal form")
    return NameMatch(0.95, "the same words")


def _same_letters(a: NameForm, b: NameForm, _kind: str) -> NameMatch | None:
    if a.joined == b.joined and len(a.joined) >= (6 if a.joined.isascii() else 4):
        return NameMatch(0.9, "the same but for blanks")
    for one, other in ((a, b), (b, a)):
        if one.romanized and " ".join(other.words) in one.romanized:
            return NameMatch(0.88, "the same in Latin letters")
    return None


def _acronym(a: NameForm, b: NameForm, _kind: str) -> NameMatch | None:
    for short, long in ((a, b), (b, a)):
        if short.acronym and short.acronym in long.initials:
            return NameMatch(0.87 if len(short.acronym) > 2 else 0.82, "an acronym of the other")
    return None


def _shorter_person(a: NameForm, b: NameForm, kind: str) -> NameMatch | None:
    """Initials for given names, middle names left out; never a surname alone, never where two of them differ."""
    if kind not in ("person", DEFAULT_KIND) or a.words[-1] != b.words[-1] or min(len(a.words), len(b.words)) < 2:
        return None
    given, other_given = _given_names(a), _given_names(b)
    if _surname(a) != _surname(b) or not given or not other_given:
        return None
    if kind == DEFAULT_KIND and not (_is_initial(given[0]) or _is_initial(other_given[0])):
        return None  # Bank of America and Bank America
    if not _fits(given[0], other_given[0]):
        return None
    middle, other_middle = given[1:], other_given[1:]
    fewer, more = sorted((middle, other_middle), key=len)
    if fewer and (len(fewer) != len(more) or not all(map(_fits, fewer, more))):
        return None
    shortened = _is_initial(given[0]) != _is_initial(other_given[0])
    if shortened and len(fewer) == len(more):
        return NameMatch(0.87 if more else 0.85, "initials of the other")
    return NameMatch(0.83, "initials or middle names left out") if more else None


def _surname(name: NameForm) -> tuple[str, ...]:
    words = name.words
    end = len(words)
    while end > 1 and (words[end - 1] in GENERATIONS or ROMAN_NUMERAL.fullmatch(words[end - 1])):
        end -= 1
    return words[end - 1 :]


def _given_names(name: NameForm) -> tuple[str, ...]:
    return name.words[: len(name.words) - len(_surname(name))]


def _is_initial(word: str) -> bool:
    return len(word) == 1


def _fits(one: str, other: str) -> bool:
    return one == other or (min(len(one), len(other)) == 1 and one[0] == other[0])


def _plural(a: NameForm, b: NameForm, kind: str) -> NameMatch | None:
    if kind not in _PLURAL_KINDS or len(a.words) != len(b.words) or a.words[:-1] != b.words[:-1]:
        return None
    short, long = sorted((a.words[-1], b.words[-1]), key=len)
    plurals = (f"{short}s", f"{short}es", f"{short[:-1]}ies" if short.endswith("y") else "")
    return NameMatch(0.92, "singular and plural") if len(short) > 3 and long in plurals else None


def _small_words(a: NameForm, b: NameForm, kind: str) -> NameMatch | None:
    """Long names that differ in a preposition: Nobel Prize in Physics, Nobel Prize for Physics."""
    same = kind not in ("person", "location") and len(a.telling) >= 3 and a.telling == b.telling
    return NameMatch(0.85, "the same but for small words") if same else None


def _slip(a: NameForm, b: NameForm, kind: str) -> NameMatch | None:
    """One word with a slip of the pen, all others the same."""
    if kind in _SLIP_KINDS_OUT or len(a.words) != len(b.words) or abs(len(a.joined) - len(b.joined)) > 2:
        return None
    different = [(one, other) for one, other in zip(a.words, b.words, strict=True) if one != other]
    if len(different) != 1 or not _is_slip(*different[0], careful=kind in _CAREFUL_KINDS):
        return None
    return NameMatch(round(0.8 + 0.1 * fuzz.ratio(a.joined, b.joined) / 100, 4), "a slip of the pen")


def _is_slip(one: str, other: str, *, careful: bool) -> bool:
    """A letter was doubled, moved, lost or put in; neither the first one nor an ending.

    Another letter in its place makes another word more often than not (Andersen, Colombia, Stamford): it counts in the
    middle of long words alone. A letter more does as well in names of persons and languages, but for long ones.
    """
    shortest = min(len(one), len(other))
    if shortest < 5 or one[0] != other[0] or ROMAN_NUMERAL.fullmatch(one) or ROMAN_NUMERAL.fullmatch(other):
        return False
    if _squeeze(one) == _squeeze(other):
        return True
    distance = Levenshtein.distance(one, other, score_cutoff=2)
    if distance == 2:
        return sorted(one) == sorted(other)
    if distance != 1 or one.startswith(other) or other.startswith(one):
        return False
    if len(one) == len(other):
        return shortest >= 11 and one[:4] == other[:4] and one[-3:] == other[-3:]
    return shortest >= (8 if careful else 6) and one[-1] == other[-1]


def _squeeze(word: str) -> str:
    return "".join(char for index, char in enumerate(word) if not index or char != word[index - 1])


_RULES: Final = (_same_words, _same_letters, _acronym, _shorter_person, _plural, _small_words, _slip)
