"""What the graph is made of: nodes, edges, segments and the mentions that support them.

Everything here is immutable and knows nothing of Neo4j; extractors build these, `graph.store` writes them.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import NewType

NodeId = NewType("NodeId", str)
EdgeId = NewType("EdgeId", str)
DocumentId = NewType("DocumentId", str)
SegmentId = NewType("SegmentId", str)
MentionId = NewType("MentionId", str)


class Modality(StrEnum):
    """The kind of material that a document, segment or mention is."""

    CODE = "CODE"
    TEXT = "TEXT"
    TRANSCRIPT = "TRANSCRIPT"
    CAPTION = "CAPTION"
    OCR = "OCR"


class Provenance(StrEnum):
    """How a fact came to be known, weakest last."""

    EXTRACTED = "EXTRACTED"
    ASSERTED = "ASSERTED"
    INFERRED = "INFERRED"
    VIDEO_SUBJECT_INFERENCE = "VIDEO_SUBJECT_INFERENCE"


class DocumentStatus(StrEnum):
    """How a file ended."""

    DONE = "DONE"
    SKIPPED = "SKIPPED"
    FAILED = "FAILED"


@dataclass(frozen=True, slots=True)
class Node:
    """A thing that the graph speaks of.

    `declared` is true in the document that defines the node and so decides its properties; a document that
    only refers to a node carries the same properties with `declared=False`, used when the node is not there yet.
    `exposed` says why a symbol is used from outside what can be seen (dunder, decorated, entry_point, exported).
    Lines count from 1, both ends included.
    """

    node_id: NodeId
    name: str
    kind: str
    description: str = ""
    aliases: tuple[str, ...] = ()
    path: str | None = None
    line_start: int | None = None
    line_end: int | None = None
    signature: str | None = None
    exposed: tuple[str, ...] = ()
    declared: bool = True


@dataclass(frozen=True, slots=True)
class Edge:
    """A directed fact between two nodes. `confidence` is in [0, 1]."""

    edge_id: EdgeId
    source: NodeId
    target: NodeId
    relation: str
    provenance: Provenance = Provenance.EXTRACTED
    confidence: float = 1.0


@dataclass(frozen=True, slots=True)
class Segment:
    """A stretch of a document's decoded text.

    `label` is its name inside the document (`L1`, `frame_12`); `char_offset` is where its text starts in the
    document, in characters; `line_start` is the line of its first character, from 1. `page` (from 1) and `heading` are
    those that its first character stands on and under, where its format has them.
    """

    segment_id: SegmentId
    label: str
    ordinal: int
    text: str
    char_offset: int
    line_start: int
    modality: Modality = Modality.CODE
    page: int | None = None
    heading: str | None = None


@dataclass(frozen=True, slots=True)
class Statement:
    """What a document says of a thing that other documents speak of, too: all of them decide together what it is like.

    `weight` is how often the document names it; `aliases` are the other spellings that it has for it.
    """

    name: str
    kind: str
    aliases: tuple[str, ...] = ()
    weight: int = 1


@dataclass(frozen=True, slots=True)
class Mention:
    """Where a document supports a node (`node_id`) or an edge (`edge`), exactly one of the two.

    `char_start` and `char_end` are characters within the segment's text, end excluded; lines count from 1 in the
    document, both ends included, and cover the whole construct (a function's body), not only the span.

    For a named thing in a text: `kind` is what it was taken for here, `confidence` how surely, `term` the entry of an
    ontology that it was found in; the first mention of each in a document holds what the document states of it. For a
    claim: from when to when it holds (ISO 8601, any precision), and for a free one its wording and a sentence.
    """

    mention_id: MentionId
    segment_id: SegmentId
    char_start: int
    char_end: int
    evidence_span: str
    line_start: int
    line_end: int
    node_id: NodeId | None = None
    edge: Edge | None = None
    modality: Modality = Modality.CODE
    kind: str | None = None
    confidence: float | None = None
    term: str | None = None
    stated: Statement | None = None
    valid_from: str | None = None
    valid_to: str | None = None
    wording: str | None = None
    description: str | None = None


@dataclass(frozen=True, slots=True)
class Unresolved:
    """A use of a name that could not be resolved: counted, never guessed.

    `line` is the first of `count` places with the same source, relation, name and reason.
    """

    source: NodeId
    relation: str
    name: str
    reason: str
    line: int
    count: int = 1


@dataclass(frozen=True, slots=True)
class Document:
    """A file as the graph knows it. `content_hash` is the hex sha256 of its bytes."""

    document_id: DocumentId
    path: str
    content_hash: str
    modality: Modality = Modality.CODE
    status: DocumentStatus = DocumentStatus.DONE
    reason: str | None = None
    language: str | None = None


@dataclass(frozen=True, slots=True)
class ExtractionResult:
    """All that one document says. Deterministic: the same inputs give an equal result, in the same order.

    `edges` has each edge once; each node that is declared or stated and each edge has at least one mention.
    """

    document: Document
    segments: tuple[Segment, ...] = ()
    nodes: tuple[Node, ...] = ()
    edges: tuple[Edge, ...] = ()
    mentions: tuple[Mention, ...] = ()
    unresolved: tuple[Unresolved, ...] = ()

    @property
    def stated(self) -> frozenset[NodeId]:
        """The nodes of which the document is one of several to say what they are like."""
        return frozenset(mention.node_id for mention in self.mentions if mention.stated and mention.node_id)

    @property
    def node_count(self) -> int:
        """How many nodes the document declares or states."""
        return sum(node.declared for node in self.nodes) + len(self.stated)
