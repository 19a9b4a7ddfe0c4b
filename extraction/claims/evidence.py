"""The span that a model gave as evidence, found in the text it was to be copied from."""

from collections.abc import Sequence
from typing import Final

from extraction.claims.drops import NotTaken
from extraction.claims.spans import SearchedText, Span, has_word

MAX_CHARS: Final = 600
_OUTER: Final = " \t\r\n\"'`\u2018\u2019\u201c\u201d\u00ab\u00bb"
_ELLIPSES: Final = ("...", "\u2026")


def find_evidence(source: SearchedText, quoted: str, *, within: Span, near: Sequence[Sequence[Span]]) -> Span:
    """Where the text says what was quoted, inside `within`.

    Said more than once, the place nearest to where the ends are named counts (`near`, the places of each end), names
    before it rather than after it, the first of equals. Raises NotTaken for what the text does not say.
    """
    if not has_word(quoted):
        raise NotTaken("no evidence")
    if len(quoted) > MAX_CHARS:
        raise NotTaken(f"evidence over {MAX_CHARS} characters")
    places = [span for span in _find_places(source, quoted) if within.holds(span)]
    if not places:
        raise NotTaken("evidence not in the text")
    return min(places, key=lambda place: sum(_distance(place, spans, within.end) for spans in near))


def _find_places(source: SearchedText, quoted: str) -> list[Span]:
    return source.find(quoted.strip()) or source.find(_bare(quoted))


def _bare(quoted: str) -> str:
    """Without the marks that a model puts around a quotation, or at its cut end."""
    bare = quoted.strip(_OUTER)
    for mark in _ELLIPSES:
        bare = bare.removeprefix(mark).removesuffix(mark)
    return bare.strip(_OUTER)


def _distance(place: Span, spans: Sequence[Span], worst: int) -> int:
    """What `She was born there` is about was named before it, however near the next name is."""
    return min((place.distance(span) + (worst if span.start > place.end else 0) for span in spans), default=0)
