"""Letters brought to a plain form, to find spellings of one name. For comparison alone: ids keep every letter."""

import re
import unicodedata
from functools import lru_cache
from typing import Final

# Letters that Unicode does not take apart. Source: ICU's Latin-ASCII transform.
_LETTERS: Final = str.maketrans(
    {"ł": "l", "ø": "o", "đ": "d", "ð": "d", "þ": "th", "æ": "ae", "œ": "oe", "ı": "i", "ħ": "h", "ŋ": "n"}
)
_DIGRAPHS: Final = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ø": "oe", "å": "aa", "æ": "ae"})
_LATIN_MARKS: Final = frozenset(map(chr, range(0x300, 0x370)))
# Vowel signs that writers of Arabic and Hebrew leave out, the letter stretcher, and what sits on an alef.
_OPTIONAL_MARKS: Final = frozenset(
    map(chr, (0x640, 0x670, *range(0x64B, 0x653), *range(0x591, 0x5BE), 0x5BF, 0x5C1, 0x5C2, 0x5C4, 0x5C5, 0x5C7))
)
_ALEF_MARKS: Final = frozenset("\u0653\u0654\u0655")
_CYRILLIC_MARKS: Final = {"е": frozenset("\u0300\u0301\u0308")}
_CYRILLIC: Final = re.compile("[\u0400-\u04ff]")
_STRESS: Final = frozenset("\u0300\u0301")

# Two ways to write Russian in Latin letters, the second for Serbian, Bulgarian and other Slavic names as well.
# Source: BGN/PCGN romanization of Russian, simplified; ISO 9:1968 without its accents.
_ENGLISH: Final = {
    **dict(zip("абвгдезийклмнопрстуфыэ", "abvgdeziyklmnoprstufye", strict=True)),
    **dict(zip("жхцчшщъьюя", ("zh", "kh", "ts", "ch", "sh", "shch", "", "", "yu", "ya"), strict=True)),
}
_SLAVIC: Final = {
    **_ENGLISH,
    **dict(
        zip(
            "жйхцчшщюяђјљњћџ",
            ("z", "j", "h", "c", "c", "s", "st", "ju", "ja", "d", "j", "lj", "nj", "c", "dz"),
            strict=True,
        )
    ),
}


@lru_cache(maxsize=16_384)
def fold_letters(text: str) -> str:
    """Return text in one case, without the accents that writers leave out: `Łódź` is `lodz`.

    Marks that make another letter stay: й is not и, が is not か.
    """
    if text.isascii():
        return text.casefold()
    base, kept = "", list[str]()
    for char in unicodedata.normalize("NFD", _casefold(text)):
        if not unicodedata.combining(char):
            base = char
        if char not in _marks_left_out(base):
            kept.append(char)
    return unicodedata.normalize("NFC", "".join(kept)).translate(_LETTERS)


def spell_out_umlauts(text: str) -> str:
    """Return folded text with German and Nordic letters as two: `Müller` is `mueller`."""
    return fold_letters(unicodedata.normalize("NFC", _casefold(text)).translate(_DIGRAPHS))


def romanize(folded: str) -> tuple[str, ...]:
    """Return the Latin spellings of Cyrillic text that are sure; none for any other script."""
    if not _CYRILLIC.search(folded):
        return ()
    tables = (_ENGLISH, _SLAVIC)
    return tuple(dict.fromkeys("".join(table.get(char, char) for char in folded) for table in tables))


def _casefold(text: str) -> str:
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())


def _marks_left_out(base: str) -> frozenset[str]:
    if base < "\u0400":
        return _LATIN_MARKS
    if base < "\u0530":
        return _CYRILLIC_MARKS.get(base, _STRESS)
    return _ALEF_MARKS | _OPTIONAL_MARKS if base == "\u0627" else _OPTIONAL_MARKS
