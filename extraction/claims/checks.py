"""What a model answered, held against the text: only claims that it states, in the locked words, are left."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from extraction.claims.answers import Item, parse_answer
from extraction.claims.base import Claim, ClaimEnd, ClaimText, SegmentClaims
from extraction.claims.dates import read_period
from extraction.claims.drops import Drops, NotTaken
from extraction.claims.ends import EndFinder
from extraction.claims.evidence import find_evidence
from extraction.claims.predicates import FREE_PREDICATE, allowed_kinds, canonical_predicate, is_allowed
from extraction.claims.spans import SearchedText, Span
from graph.identity import name_key

VERSION: Final = "1"
"""Raised whenever the same answers would give other claims."""

_DESCRIPTION_CHARS: Final = 300
_RELATION_CHARS: Final = 100


@dataclass(frozen=True, slots=True)
class Reply:
    """What a model said of a part of a text."""

    part: Span
    raw: str


@dataclass(frozen=True, slots=True)
class _Wording:
    """A predicate in the locked words, or a free one with the model's own."""

    predicate: str
    swapped: bool
    relation_text: str | None = None
    description: str | None = None


def check_replies(text: ClaimText, replies: Sequence[Reply], *, free_form: bool) -> SegmentClaims:
    """The claims of a text that stand up to it, in the order of their evidence, and the others counted by reason."""
    return _Check(text, free_form).run(replies)


class _Check:
    def __init__(self, text: ClaimText, free_form: bool) -> None:
        self._source = SearchedText(text.text)
        self._ends = EndFinder(self._source, text.entities)
        self._free_form = free_form
        self._drops = Drops()

    def run(self, replies: Sequence[Reply]) -> SegmentClaims:
        claims: dict[tuple[object, ...], Claim] = {}
        for reply in replies:
            answer = parse_answer(reply.raw)
            self._drops.extend(answer.drops)
            for item in answer.items:
                self._add(item, reply.part, claims)
        return SegmentClaims(tuple(sorted(claims.values(), key=_order)), self._drops.total())

    def _add(self, item: Item, part: Span, claims: dict[tuple[object, ...], Claim]) -> None:
        try:
            wording = self._read_wording(item)
        except NotTaken as exc:
            self._drops.add(item.predicate, str(exc))
            return
        try:
            claim = self._make_claim(item, wording, part)
        except NotTaken as exc:
            self._drops.add(wording.predicate, str(exc))
            return
        if claims.setdefault(_identity(claim), claim) is not claim:
            self._drops.add(wording.predicate, "stated twice")

    def _read_wording(self, item: Item) -> _Wording:
        try:
            predicate, swapped = canonical_predicate(item.predicate)
        except NotTaken:
            if not self._free_form:
                raise
            return _Wording(FREE_PREDICATE, False, _read_relation(item), _read_description(item))
        return _Wording(predicate, swapped, description=_read_description(item) if item.description else None)

    def _make_claim(self, item: Item, wording: _Wording, part: Span) -> Claim:
        names = (item.object, item.subject) if wording.swapped else (item.subject, item.object)
        near = [self._ends.places(name) for name in names]
        evidence = find_evidence(self._source, item.evidence, within=part, near=near)
        subject, target = self._find_ends(wording.predicate, names, evidence)
        valid_from, valid_to = read_period(item.valid_from, item.valid_to, text=self._source.text, note=self._drops.add)
        return Claim(
            subject,
            wording.predicate,
            target,
            evidence.start,
            evidence.end,
            item.confidence,
            valid_from,
            valid_to,
            wording.relation_text,
            wording.description,
        )

    def _find_ends(self, predicate: str, names: tuple[str, str], evidence: Span) -> tuple[ClaimEnd, ClaimEnd]:
        kinds = allowed_kinds(predicate)
        subject, target = (
            self._ends.find_end(name, evidence, allowed) for name, allowed in zip(names, kinds, strict=True)
        )
        if (name_key(subject.name) or subject.name) == (name_key(target.name) or target.name):
            raise NotTaken("both ends are the same")
        if not is_allowed(subject.kind, kinds[0]) or not is_allowed(target.kind, kinds[1]):
            raise NotTaken(f"does not join {subject.kind} and {target.kind}")
        return subject, target


def _read_relation(item: Item) -> str:
    """The model's own wording. Raises NotTaken where it has none."""
    text = _one_line(item.relation_text or item.predicate)[:_RELATION_CHARS]
    if text.replace(" ", "_").casefold() == FREE_PREDICATE:
        raise NotTaken("no relation_text")
    return text


def _read_description(item: Item) -> str:
    """One sentence. Raises NotTaken where there is none."""
    text = _one_line(item.description or "")
    if not text:
        raise NotTaken("no description")
    sentence, mark, _ = text.partition(". ")
    return (sentence + mark.strip())[:_DESCRIPTION_CHARS]


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _identity(claim: Claim) -> tuple[object, ...]:
    ends = (name_key(claim.subject.name), name_key(claim.object.name))
    return (*ends, claim.predicate, claim.relation_text, claim.evidence_start, claim.evidence_end)


def _order(claim: Claim) -> tuple[object, ...]:
    return (
        claim.evidence_start,
        claim.evidence_end,
        claim.subject.name,
        claim.predicate,
        claim.object.name,
        claim.relation_text or "",
    )
