"""Where sentences end, told by their signs: no model, so the same for every text and in no time."""

import re
from collections.abc import Iterator
from typing import Final

_END: Final = re.compile(
    r"""(?<![.!?…])(?P<latin>[.!?…]++["'”’»›)\]*_]*+)(?P<gap>\s++)  # a full stop counts only before a blank
    |[。！？｡]+["'”’」』）》]*\s*
    |\n[^\S\n]*+\n\s*""",
    re.VERBOSE,
)
_LAST_WORD: Final = re.compile(r"(?:[^\W\d_]\.)*[^\W_]*$")
_LAST_CHARS: Final = 24
_ORDINAL_DIGITS: Final = 2  # "3. Mai", "1. first": rather a sentence not found than one torn
# Words whose full stop is part of them: what is called, counted or quoted comes right after.
_ABBREVIATIONS: Final = frozenset(
    {"dr", "mr", "mrs", "ms", "prof", "st", "jr", "sr", "rev", "hon", "gen", "col", "lt", "sgt", "capt", "gov", "sen"}
    | {"hr", "hrn", "mme", "mlle", "mm", "sra", "srta", "dña", "e.g", "i.e", "eg", "ie", "viz", "cf", "c.f", "vs", "ca"}
    | {"al", "approx", "resp", "incl", "bzw", "z.b", "d.h", "u.a", "vgl", "bspw", "p.ej", "ph.d", "inc", "ltd", "corp"}
    | {"bros", "mt", "ft", "dept", "univ", "ed", "eds"}
)
# Those that are words too: only a number after them makes them short for something.
_COUNTED: Final = frozenset(
    {"no", "nos", "nr", "núm", "vol", "vols", "fig", "figs", "eq", "eqs", "sec", "ch", "chap", "p", "pp", "pg", "art"}
    | {"op", "ref", "refs", "abb", "max", "min", "est"}
    | {"jan", "feb", "mar", "apr", "jun", "jul", "aug", "sep", "sept", "oct", "nov", "dec"}
)


def find_sentence_ends(text: str, start: int = 0, stop: int | None = None) -> Iterator[int]:
    """The places where sentences end, blanks after them included, in order.

    Blank lines end a sentence too. "Dr. Curie", "J. K. Rowling", "3.14", "e.g. Paris", "Fig. 2" and "etc. and" do not.
    """
    for match in _END.finditer(text, start, len(text) if stop is None else stop):
        gap: str | None = match["gap"]
        if gap is None or gap.count("\n") > 1 or _is_end(text, match.start(), match["latin"], match.end()):
            yield match.end()


def _is_end(text: str, place: int, signs: str, after: int) -> bool:
    following = text[after : after + 1]
    if following.islower():
        return False
    if signs[0] != "." or signs.startswith(".."):
        return True
    found = _LAST_WORD.search(text, max(0, place - _LAST_CHARS), place)
    word = found[0].casefold() if found else ""
    if word.isdecimal():
        return len(word) > _ORDINAL_DIGITS
    is_initial = len(word.rpartition(".")[2]) == 1 and text[place - 1].isupper()
    return not (is_initial or word in _ABBREVIATIONS or (word in _COUNTED and following.isdecimal()))
