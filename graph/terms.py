"""Words as the full-text index holds them, made the same way for what is stored and for what is asked.

The index splits at blanks only, so nothing of a name is lost to an analyser (`C++` stays `c++`), and a query is a
list of words from here, each in quotes: no input reaches Lucene's parser as syntax.
"""

import unicodedata
from functools import lru_cache
from itertools import pairwise
from typing import Final

import regex

MAX_QUERY_TERMS: Final = 256
"""Words of a query that are looked up. Lucene refuses 1,024 clauses and over; we make two of each word."""

MAX_TERM_CHARS: Final = 200

# A run of letters, digits and marks with the signs that tell names apart (C++, C#, .NET, node.js).
_WORD: Final = regex.compile(r"\.?[\p{L}\p{N}\p{M}]+(?:\.[\p{L}\p{N}\p{M}]+)*(?:\+\+|#)?")
# camelCase, HTTPServer2 and dotted names, taken apart.
_PARTS: Final = regex.compile(r"\p{Lu}+(?!\p{Ll})|\p{Lu}?\p{Ll}+|\p{N}+|[[\p{L}\p{M}]--[\p{Lu}\p{Ll}]]+", regex.V1)
# Scripts written without blanks between words: looked up by pairs of characters.
_UNSPACED: Final = regex.compile(r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}]+")
_SHORT_CHARS: Final = 40
_ACCENTS: Final = regex.compile("[\u0300-\u036f]+")


def index_terms(text: str) -> str:
    """The words of `text` for the index, joined with blanks, in order; repeated words stay, for their weight."""
    return " ".join(_terms(text))


def query_terms(text: str) -> tuple[tuple[str, ...], bool]:
    """The different words of a query, in order, and whether some were left out beyond MAX_QUERY_TERMS.

    Neighbouring words are looked up joined, too: `search agent` means SearchAgent as well.
    """
    written = [word.casefold() for word in _WORD.findall(_without_accents(text))]
    joined = [first + second for first, second in pairwise(written)]
    words = tuple(dict.fromkeys((*_terms(text), *(term[:MAX_TERM_CHARS] for term in joined))))
    return words[:MAX_QUERY_TERMS], len(set(written)) > MAX_QUERY_TERMS


def lucene_query(terms: tuple[str, ...]) -> str:
    """A Lucene query that matches any of the terms: a name counts four times a description.

    Terms hold no character that ends a quoted term, so the quotes make them data.
    """
    return " ".join(f'name_terms:"{term}"^4 text_terms:"{term}"' for term in terms)


def _terms(text: str) -> list[str]:
    found: list[str] = []
    for word in _WORD.findall(_without_accents(text)):
        found.extend(_split_short_word(word) if len(word) <= _SHORT_CHARS else _split_word(word))
    return found


# Texts repeat their words: looked up, a word costs a fifth of what it costs taken apart.
@lru_cache(maxsize=16_384)
def _split_short_word(word: str) -> tuple[str, ...]:
    return _split_word(word)


def _split_word(word: str) -> tuple[str, ...]:
    whole = word.casefold()
    parts: list[str] = _PARTS.findall(word)
    pairs = [
        run[start : start + 2] for run in _UNSPACED.findall(whole) if len(run) > 2 for start in range(len(run) - 1)
    ]
    pieces = [part.casefold() for part in parts if len(parts) > 1] + pairs
    return tuple(piece[:MAX_TERM_CHARS] for piece in (whole, *pieces))


def _without_accents(text: str) -> str:
    # For the search alone (Jose finds José); identity keeps accents.
    return unicodedata.normalize("NFC", _ACCENTS.sub("", unicodedata.normalize("NFKD", text)))
