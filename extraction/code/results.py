"""Resolved files: facts about ids, cheap to compare, and made into extraction results only when they are written."""

import hashlib
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

import msgspec

from extraction.code.facts import FileFacts
from graph.identity import edge_id, mention_id, segment_id
from graph.model import (
    Document,
    Edge,
    ExtractionResult,
    Mention,
    Node,
    NodeId,
    Provenance,
    Segment,
    SegmentId,
    Unresolved,
)


class NodeRow(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A node and the span, in the document that declares it, that mentions it."""

    node_id: str
    name: str
    kind: str
    description: str = ""
    path: str | None = None
    line_start: int | None = None
    line_end: int | None = None
    signature: str | None = None
    exposed: tuple[str, ...] = ()
    start: int = 0
    end: int = 0

    def node(self, *, declared: bool) -> Node:
        """The node of the graph's model."""
        return Node(
            node_id=NodeId(self.node_id),
            name=self.name,
            kind=self.kind,
            description=self.description,
            path=self.path,
            line_start=self.line_start,
            line_end=self.line_end,
            signature=self.signature,
            exposed=self.exposed,
            declared=declared,
        )


class Link(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """One place that states an edge. A confidence below 1 makes the edge inferred."""

    source: str
    relation: str
    target: str
    start: int
    end: int
    line_start: int
    line_end: int
    confidence: float = 1.0


class UnresolvedUse(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """One place whose name could not be resolved."""

    source: str
    relation: str
    name: str
    reason: str
    line: int


@dataclass(slots=True)
class Tally:
    """How the calls of a file ended."""

    resolved: int = 0
    outside: int = 0
    builtin: int = 0
    unresolved: int = 0


@dataclass
class ResolvedFile:
    """One file of a resolved project.

    `declared` holds the nodes that this document decides on, outside packages among them; `nodes` the nodes
    of the whole project by id.
    """

    facts: FileFacts
    nodes: Mapping[str, NodeRow]
    declared: list[NodeRow] = field(default_factory=list[NodeRow])
    links: list[Link] = field(default_factory=list[Link])
    unresolved: list[UnresolvedUse] = field(default_factory=list[UnresolvedUse])
    tally: Tally = field(default_factory=Tally)

    @property
    def path(self) -> str:
        """The file's path from the root."""
        return self.facts.path

    @cached_property
    def fingerprint(self) -> str:
        """A hex sha256 over all that this file states, but for its text.

        Together with the hash of the text it says whether anything has to be written. Properties of nodes that
        other documents declare are theirs and left out: a line added above a function changes no caller.
        """
        encoded = msgspec.msgpack.encode(
            (self.facts.segments, self.declared, self._foreign(), self.links, self.unresolved)
        )
        return hashlib.sha256(encoded).hexdigest()

    def result(self, document: Document, text: str) -> ExtractionResult:
        """The extraction result, from the same text that the facts were taken from."""
        segments = tuple(self._segments(document, text))
        places = _Places(segments)
        edges = self._edges()
        mentions = [*self._node_mentions(places), *self._edge_mentions(places, edges)]
        foreign = [self.nodes[node_id].node(declared=False) for node_id in self._foreign()]
        return ExtractionResult(
            document=document,
            segments=segments,
            nodes=(*(row.node(declared=True) for row in self.declared), *foreign),
            edges=tuple(edges.values()),
            mentions=tuple({mention.mention_id: mention for mention in mentions}.values()),
            unresolved=tuple(self._counted()),
        )

    def _foreign(self) -> list[str]:
        ends = {end for link in self.links for end in (link.source, link.target)}
        return sorted(ends.difference(row.node_id for row in self.declared))

    def _segments(self, document: Document, text: str) -> Iterator[Segment]:
        starts = self.facts.segments
        labels: dict[str, int] = {}
        for ordinal, start in enumerate(starts):
            end = starts[ordinal + 1].offset if ordinal + 1 < len(starts) else len(text)
            label = f"L{start.line}"
            labels[label] = labels.get(label, 0) + 1
            label = label if labels[label] == 1 else f"{label}.{labels[label]}"
            yield Segment(
                segment_id=segment_id(document.document_id, label),
                label=label,
                ordinal=ordinal,
                text=text[start.offset : end],
                char_offset=start.offset,
                line_start=start.line,
            )

    def _edges(self) -> dict[tuple[str, str, str], Edge]:
        confidences: dict[tuple[str, str, str], float] = {}
        for link in self.links:
            key = (link.source, link.relation, link.target)
            confidences[key] = max(confidences.get(key, 0.0), link.confidence)
        return {key: _edge(key, confidence) for key, confidence in confidences.items()}

    def _node_mentions(self, places: "_Places") -> Iterator[Mention]:
        for row in self.declared:
            lines = (row.line_start or 1, row.line_end or 1)
            if row.path is None:
                first = next(link for link in self.links if row.node_id in (link.target, link.source))
                yield places.mention(row.node_id, (first.start, first.end), (first.line_start, first.line_end))
            else:
                yield places.mention(row.node_id, (row.start, row.end), lines)

    def _edge_mentions(self, places: "_Places", edges: Mapping[tuple[str, str, str], Edge]) -> Iterator[Mention]:
        for link in self.links:
            edge = edges[link.source, link.relation, link.target]
            yield places.mention(edge, (link.start, link.end), (link.line_start, link.line_end))

    def _counted(self) -> Iterator[Unresolved]:
        counts: dict[tuple[str, str, str, str], list[int]] = {}
        for use in self.unresolved:
            counts.setdefault((use.source, use.relation, use.name, use.reason), []).append(use.line)
        for (source, relation, name, reason), lines in counts.items():
            yield Unresolved(NodeId(source), relation, name, reason, min(lines), len(lines))


class _Places:
    """Turns spans of a document into spans of its segments."""

    def __init__(self, segments: tuple[Segment, ...]) -> None:
        self._segments = segments
        self._starts = [segment.char_offset for segment in segments]

    def mention(self, subject: str | Edge, span: tuple[int, int], lines: tuple[int, int]) -> Mention:
        segment = self._segments[bisect_right(self._starts, span[0]) - 1]
        start = span[0] - segment.char_offset
        # In a text with syntax errors a construct may run on beyond its segment: its beginning is evidence enough.
        end = min(span[1] - segment.char_offset, len(segment.text))
        name = subject if isinstance(subject, str) else subject.edge_id
        return Mention(
            mention_id=mention_id(SegmentId(segment.segment_id), name, start, end),
            segment_id=segment.segment_id,
            char_start=start,
            char_end=end,
            evidence_span=segment.text[start:end],
            line_start=lines[0],
            line_end=max(lines),
            node_id=NodeId(subject) if isinstance(subject, str) else None,
            edge=subject if isinstance(subject, Edge) else None,
        )


def _edge(key: tuple[str, str, str], confidence: float) -> Edge:
    source, relation, target = NodeId(key[0]), key[1], NodeId(key[2])
    provenance = Provenance.EXTRACTED if confidence == 1.0 else Provenance.INFERRED
    return Edge(edge_id(source, relation, target), source, target, relation, provenance, confidence)
