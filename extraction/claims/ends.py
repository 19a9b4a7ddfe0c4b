"""The two ends of a claim: a thing that the document has named, or a name that stands in the text."""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from extraction.claims.base import ClaimEnd, PriorEntity
from extraction.claims.drops import NotTaken
from extraction.claims.predicates import is_allowed
from extraction.claims.pronouns import Reference, find_reference, is_indefinite
from extraction.claims.spans import SearchedText, Span, has_word, last_before, nearest
from graph.identity import name_key
from graph.vocabulary import DEFAULT_KIND

_ARTICLE: Final = re.compile(r"(?:the|an?)\s+", re.IGNORECASE)
_POSSESSIVE: Final = re.compile(r"['\u2019]s?$")
# Within a clause a pronoun means none of those named beside it: in `Pierre gave her` she is not Pierre.
_CLAUSE_END: Final = re.compile(
    r"[,;:.!?()\u2013\u2014\n。！？]|\b(?:and|but|when|while|where|after|before|because|then|so|who|which|that|as)\b"
)


class EndFinder:
    """Finds what names mean in one text, with the things named up to its end."""

    def __init__(self, source: SearchedText, entities: Sequence[PriorEntity]) -> None:
        self._source = source
        self._entities = entities
        self._by_name = {entity.name: entity for entity in entities}
        self._by_key = {name_key(entity.name): entity for entity in entities if name_key(entity.name)}
        self._places: dict[str, list[Span]] = {}

    def places(self, name: str) -> list[Span]:
        """Where the text names it, in order; nowhere for a pronoun, whose places say nothing."""
        reference = find_reference(name)
        if reference is not None and not reference.named:
            return []
        for spelling in _spellings(name):
            if found := self._find(spelling):
                return found
        return []

    def find_end(self, name: str, evidence: Span, allowed: frozenset[str] | None) -> ClaimEnd:
        """What a name means for a fact told at `evidence`; pronouns mean the latest thing of an agreeing, allowed kind.

        Raises NotTaken for a name that means nothing here.
        """
        if not has_word(name) or is_indefinite(name):
            raise NotTaken(f"{name[:40]!r} names nothing")
        reference = find_reference(name)
        if reference is not None:
            meant = self._find_antecedent(name, reference, evidence, allowed)
            if meant is not None:
                return ClaimEnd(meant.name, meant.kind)
            if not reference.named:
                raise NotTaken(f"nobody for {name[:40]!r}")
        return self._find_prior_end(name, evidence) or self._find_named(name, evidence)

    def _find_prior_end(self, name: str, evidence: Span) -> ClaimEnd | None:
        prior = self._find_prior(name)
        if prior is None:
            return None
        places = self.places(name) or self.places(prior.name)
        place = _pick(places, evidence) if places else None
        return ClaimEnd(prior.name, prior.kind, *((place.start, place.end) if place else (None, None)))

    def _find_prior(self, name: str) -> PriorEntity | None:
        for spelling in _spellings(name):
            found = self._by_name.get(spelling) or self._by_key.get(name_key(spelling))
            if found is not None:
                return found
        return None

    def _find_named(self, name: str, evidence: Span) -> ClaimEnd:
        places = self.places(name)
        if not places:
            raise NotTaken(f"{name[:40]!r} is not in the text")
        place = self._without_article(_pick(places, evidence))
        return ClaimEnd(
            " ".join(self._source.text[place.start : place.end].split()), DEFAULT_KIND, place.start, place.end
        )

    def _without_article(self, place: Span) -> Span:
        """`the letter` is named letter; The Hague keeps what is a part of its name."""
        words = self._source.text[place.start : place.end]
        match = _ARTICLE.match(words)
        if match is None or not words[match.end() : match.end() + 1].islower():
            return place
        return Span(place.start + match.end(), place.end)

    def _find_antecedent(
        self, name: str, reference: Reference, evidence: Span, allowed: frozenset[str] | None
    ) -> PriorEntity | None:
        place = self._place_of(name, evidence)
        for kinds in reference.groups:
            agreeing = [
                entity for entity in self._entities if entity.kind in kinds and is_allowed(entity.kind, allowed)
            ]
            meant = self._latest_before(agreeing, place) or self._latest_elsewhere(agreeing)
            if meant is not None:
                return meant
        return None

    def _place_of(self, pronoun: str, evidence: Span) -> int:
        inside = [span for span in self._source.find(pronoun) if evidence.holds(span)]
        return inside[0].start if inside else evidence.start

    def _latest_before(self, entities: Sequence[PriorEntity], place: int) -> PriorEntity | None:
        """The one that the text names last before a place, with the end of a clause between."""
        clause = max((match.start() for match in _CLAUSE_END.finditer(self._source.text, 0, place)), default=-1)
        named = [
            (span.end, len(entity.name), entity)
            for entity in entities
            if (span := last_before(self._find(entity.name), clause)) is not None
        ]
        return max(named, key=lambda found: found[:2])[2] if named else None

    def _latest_elsewhere(self, entities: Sequence[PriorEntity]) -> PriorEntity | None:
        """The last one that an earlier text named; one that this text names further on only if there is no other."""
        earlier = [entity for entity in entities if not self._find(entity.name)]
        if earlier:
            return earlier[-1]
        return entities[0] if len(entities) == 1 else None

    def _find(self, words: str) -> list[Span]:
        if words not in self._places:
            self._places[words] = self._source.find(words)
        return self._places[words]


def _spellings(name: str) -> Iterator[str]:
    """A name as given, and without what belongs to the sentence around it."""
    bare = name.strip()
    yield bare
    short = _POSSESSIVE.sub("", _ARTICLE.sub("", bare, count=1) if _ARTICLE.match(bare) else bare)
    if short and short != bare:
        yield short


def _pick(places: list[Span], evidence: Span) -> Span:
    inside = [place for place in places if evidence.holds(place)]
    return inside[0] if inside else nearest(places, evidence)
