"""From what models found in a document's segments to nodes, edges and the mentions that support them."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from extraction.claims.base import Claim, ClaimEnd, ClaimText, PriorEntity, SegmentClaims
from extraction.documents.naming import Named, Naming, find_fault
from extraction.entities.base import EntitySpan
from extraction.report import Dropped, rank_drops
from graph.identity import edge_id, mention_id, name_key
from graph.model import Document, Edge, ExtractionResult, Mention, MentionId, Node, NodeId, Segment, Statement
from graph.vocabulary import DEFAULT_KIND, RELATIONS

_POOL: Final = 100
"""Of the things named so far the latest go with a segment to the reader of claims."""

_DIGITS: Final = 4


@dataclass(slots=True)
class _Thing:
    """What the document says of one thing: how often under which spelling and kind.

    `shown` is its name where that is settled by an ontology or by the long form of an acronym.
    """

    first: Named
    shown: str | None = None
    spellings: Counter[str] = field(default_factory=Counter[str])
    kinds: Counter[str] = field(default_factory=Counter[str])
    further: set[str] = field(default_factory=set[str])

    def add(self, named: Named) -> None:
        self.shown = self.shown or named.name
        self.spellings[named.spelling] += 1
        self.kinds[named.kind] += 1
        if named.term is not None:
            self.further.update(named.term.aliases)

    def statement(self) -> Statement:
        name = self.shown or _most_common(self.spellings)
        known = Counter({kind: count for kind, count in self.kinds.items() if kind != DEFAULT_KIND})
        return Statement(
            name=name,
            kind=_most_common(known) if known else DEFAULT_KIND,
            aliases=tuple(sorted({*self.spellings, *self.further} - {name})),
            weight=self.spellings.total(),
        )


class DocumentFacts:
    """The facts of one document, gathered in the order of its segments: all entities first, then all claims."""

    def __init__(self, document: Document, segments: Sequence[Segment], naming: Naming) -> None:
        self._document = document
        self._segments = segments
        self._naming = naming
        self._things: dict[NodeId, _Thing] = {}
        self._meant: dict[str, NodeId] = {}
        self._mentions: dict[MentionId, Mention] = {}
        self._drops: Counter[tuple[str, str]] = Counter()
        self._pools: list[tuple[PriorEntity, ...]] = []

    def add_entities(self, found: Sequence[Sequence[EntitySpan]]) -> None:
        """Take in the entities of each segment."""
        pool: dict[NodeId, PriorEntity] = {}
        for segment, spans in zip(self._segments, found, strict=True):
            for span in spans:
                fault = find_fault(span.text)
                if fault is not None:
                    self._drops["entity", fault] += 1
                    continue
                named = self._naming.name(span.text, span.kind)
                self._name(segment, named, span.char_start, span.char_end, confidence=span.score)
                pool.pop(named.node_id, None)
                thing = self._things[named.node_id]
                pool[named.node_id] = PriorEntity(thing.shown or thing.first.spelling, thing.first.kind)
            self._pools.append(tuple(pool.values())[-_POOL:])

    def claim_texts(self) -> list[ClaimText]:
        """What the reader of claims gets: each segment with what the document has named up to its end."""
        return [ClaimText(segment.text, pool) for segment, pool in zip(self._segments, self._pools, strict=True)]

    def add_claims(self, read: Sequence[SegmentClaims]) -> None:
        """Take in the claims of each segment."""
        for segment, one in zip(self._segments, read, strict=True):
            for drop in one.drops:
                self._drops[drop.what, drop.reason] += drop.count
            for claim in one.claims:
                self._add_claim(segment, claim)

    def result(self) -> ExtractionResult:
        """All of it, sorted by place; the first mention of each thing holds what the document states of it."""
        ordinals = {segment.segment_id: segment.ordinal for segment in self._segments}
        ordered = sorted(
            self._mentions.values(),
            key=lambda one: (ordinals[one.segment_id], one.char_start, one.char_end, one.mention_id),
        )
        statements = {node_id: thing.statement() for node_id, thing in self._things.items()}
        pending = dict(statements)
        mentions = [
            replace(one, stated=pending.pop(one.node_id)) if one.node_id and one.node_id in pending else one
            for one in ordered
        ]
        edges: dict[str, Edge] = {}
        for mention in ordered:
            edge = mention.edge
            if edge is not None and (edge.edge_id not in edges or edges[edge.edge_id].confidence < edge.confidence):
                edges[edge.edge_id] = edge
        return ExtractionResult(
            document=self._document,
            segments=tuple(self._segments),
            nodes=tuple(_node(node_id, statements[node_id]) for node_id in sorted(statements)),
            edges=tuple(edges[key] for key in sorted(edges)),
            mentions=tuple(mentions),
        )

    def drops(self) -> tuple[Dropped, ...]:
        """What did not become facts, most first."""
        return rank_drops(self._drops)

    def _name(self, segment: Segment, named: Named, start: int, end: int, *, confidence: float | None) -> None:
        own = mention_id(segment.segment_id, named.node_id, start, end)
        if own in self._mentions:
            return
        self._things.setdefault(named.node_id, _Thing(named)).add(named)
        self._meant.setdefault(name_key(named.spelling), named.node_id)
        self._mentions[own] = replace(
            self._mention(own, segment, start, end),
            node_id=named.node_id,
            kind=named.kind,
            confidence=None if confidence is None else round(confidence, _DIGITS),
            term=None if named.term is None else named.term.entry_id,
        )

    def _add_claim(self, segment: Segment, claim: Claim) -> None:
        ends: list[NodeId] = []
        for end in (claim.subject, claim.object):
            node_id = self._find_end(segment, end)
            if node_id is None:
                self._drops[claim.predicate, "an end that the text does not name"] += 1
                return
            ends.append(node_id)
        if ends[0] == ends[1]:
            self._drops[claim.predicate, "both ends are one thing"] += 1
            return
        source, target = sorted(ends) if RELATIONS[claim.predicate].symmetric else ends
        own = edge_id(source, claim.predicate, target)
        edge = Edge(own, source, target, claim.predicate, confidence=round(claim.confidence, _DIGITS))
        start, stop = claim.evidence_start, claim.evidence_end
        mention = mention_id(segment.segment_id, own, start, stop)
        if mention in self._mentions:
            self._drops[claim.predicate, "stated twice in one place"] += 1
            return
        self._mentions[mention] = replace(
            self._mention(mention, segment, start, stop),
            edge=edge,
            valid_from=claim.valid_from,
            valid_to=claim.valid_to,
            wording=claim.relation_text,
            description=claim.description,
        )

    def _find_end(self, segment: Segment, end: ClaimEnd) -> NodeId | None:
        """The thing that an end is: one that the document names by then, or one that the text names right here."""
        meant = self._meant.get(name_key(end.name))
        if meant is None:
            meant = self._naming.name(end.name, end.kind).node_id
        if end.char_start is not None and end.char_end is not None:
            spelling = segment.text[end.char_start : end.char_end]
            if find_fault(spelling) is None:
                known = self._things.get(meant)
                named = self._naming.name(spelling, end.kind if known is None else known.first.kind)
                if known is None or named.node_id == meant:
                    meant = named.node_id
                    self._name(segment, named, end.char_start, end.char_end, confidence=None)
        return meant if meant in self._things else None

    def _mention(self, own: MentionId, segment: Segment, start: int, end: int) -> Mention:
        line = segment.line_start + segment.text.count("\n", 0, start)
        return Mention(
            mention_id=own,
            segment_id=segment.segment_id,
            char_start=start,
            char_end=end,
            evidence_span=segment.text[start:end],
            line_start=line,
            line_end=line + segment.text.count("\n", start, end),
            modality=segment.modality,
        )


def _node(node_id: NodeId, stated: Statement) -> Node:
    return Node(node_id, stated.name, stated.kind, aliases=stated.aliases, declared=False)


def _most_common(counts: Counter[str]) -> str:
    return min(counts, key=lambda one: (-counts[one], one))
