"""A caller's statements as nodes, edges and the mentions that support them, in the graph's own terms."""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from graph.identity import edge_id, entity_id, mention_id, moment, segment_id
from graph.model import DocumentId, Edge, Modality, NodeId, Provenance, Segment
from graph.references import Reference
from graph.restatement import NodeStatement
from graph.roots import Roots
from graph.rows import Row, edge_reference, node_reference
from graph.stated import EdgeAssertion, NodeAssertion
from graph.vocabulary import DEFAULT_KIND, RELATIONS

_TIMELESS: Final = (Modality.CODE, Modality.TEXT)


@dataclass(frozen=True, slots=True)
class EdgeStatement:
    """A fact as stated, and the segment of the caller's document that holds it.

    `char_end` is where the evidence ends in the segment's text, None unless it stands in the text that was cited.
    """

    edge: Edge
    given: EdgeAssertion
    segment: Segment
    char_end: int | None

    @property
    def mention_id(self) -> str:
        """One for each statement: the same again is the same mention."""
        moments = (moment(self.given.ts_start), moment(self.given.ts_end), self.given.modality.value)
        return mention_id(self.segment.segment_id, "|".join((self.edge.edge_id, *moments)), 0, 0)


@dataclass(slots=True)
class Statements:
    """All that a call states, by the ids that its document uses."""

    document_id: str
    nodes: dict[str, NodeStatement] = field(default_factory=dict[str, NodeStatement])
    edges: list[EdgeStatement] = field(default_factory=list[EdgeStatement])

    @property
    def plain_segment(self) -> Segment:
        """The segment of all that is stated without evidence."""
        return _segment(self.document_id, "asserted", "", 0)

    def segments(self) -> list[Segment]:
        """The segments, each once, by id."""
        unique = {one.segment.segment_id: one.segment for one in self.edges}
        unique[self.plain_segment.segment_id] = self.plain_segment
        return [unique[key] for key in sorted(unique)]

    def node_mention_id(self, node_id: str) -> str:
        """The id of the one mention by which the document supports a node."""
        return mention_id(self.plain_segment.segment_id, node_id, 0, 0)

    def state_node(self, later: NodeStatement) -> None:
        """Add a statement of a node to those before it."""
        earlier = self.nodes.get(later.node_id)
        self.nodes[later.node_id] = later if earlier is None else _joined(earlier, later)


def state(
    document_id: str,
    nodes: Sequence[NodeAssertion],
    edges: Sequence[EdgeAssertion],
    *,
    known: Mapping[str, Reference],
    texts: Mapping[str, str],
) -> Statements:
    """The statements of a call whose ends are `known` and whose cited segments have these texts.

    An end that is not known is an entity of that name.
    """
    stated = Statements(document_id)
    for node in nodes:
        named = NodeStatement(
            entity_id(node.name), document_id, True, node.name, node.kind, node.description, list(node.aliases)
        )
        stated.state_node(named)
    for edge in edges:
        ends: list[NodeId] = []
        for ref in (edge.source, edge.target):
            node_id, name = _end(ref, known)
            stated.state_node(NodeStatement(node_id, document_id, False, name, DEFAULT_KIND, "", []))
            ends.append(NodeId(node_id))
        stated.edges.append(_edge_statement(document_id, edge, ends, texts))
    return stated


def segment_refs(edges: Iterable[EdgeAssertion]) -> list[str]:
    """The segments that are cited, sorted."""
    return sorted({edge.segment_id for edge in edges if edge.segment_id is not None})


def node_mention_rows(stated: Statements, roots: Roots) -> list[Row]:
    """The rows of the mentions of nodes, by node id."""
    return [_node_mention_row(stated, stated.nodes[node_id], roots) for node_id in sorted(stated.nodes)]


def edge_mention_rows(stated: Statements, roots: Roots) -> list[Row]:
    """The rows of the mentions of edges, each statement once, the last one of several that differ in confidence."""
    rows = {one.mention_id: _edge_mention_row(one, roots) for one in stated.edges}
    return [rows[key] for key in sorted(rows)]


def origin_rows(stated: Statements, roots: Roots) -> list[Row]:
    """A row for each merged node that a mention speaks of."""
    pairs = {(stated.node_mention_id(node_id), node_id) for node_id in stated.nodes if node_id in roots}
    for one in stated.edges:
        pairs |= {(one.mention_id, str(end)) for end in (one.edge.source, one.edge.target) if end in roots}
    return [{"mention_id": mention, "node_id": node_id} for mention, node_id in sorted(pairs)]


def _joined(earlier: NodeStatement, later: NodeStatement) -> NodeStatement:
    """Two statements of one document: the later decides, as far as it says anything; no name is lost."""
    name = later.name if later.explicit or not earlier.explicit else earlier.name
    names = {earlier.name, later.name, *earlier.aliases, *later.aliases} - {name}
    return replace(
        later,
        explicit=earlier.explicit or later.explicit,
        name=name,
        kind=later.kind if later.kind != DEFAULT_KIND else earlier.kind,
        description=later.description or earlier.description,
        aliases=sorted(names),
    )


def _end(ref: str, known: Mapping[str, Reference]) -> tuple[str, str]:
    own = entity_id(ref)
    meant = known.get(ref)
    return (own, ref) if meant is None or meant.node_id == own else (meant.node_id, meant.name)


def _edge_statement(
    document_id: str, given: EdgeAssertion, ends: Sequence[NodeId], texts: Mapping[str, str]
) -> EdgeStatement:
    source, target = sorted(ends) if RELATIONS[given.relation].symmetric else ends
    bound = given.modality not in _TIMELESS
    own = edge_id(
        source,
        given.relation,
        target,
        segment=(given.segment_id or "") if bound else "",
        ts_start=moment(given.ts_start) if bound else "",
        ts_end=moment(given.ts_end) if bound else "",
    )
    edge = Edge(own, source, target, given.relation, Provenance.ASSERTED, float(given.confidence))
    span = given.evidence_span
    if span is None:
        return EdgeStatement(edge, given, Statements(document_id).plain_segment, None)
    stands = given.segment_id is not None and span in texts[given.segment_id]
    digest = hashlib.sha1(f"{given.segment_id or ''}|{span}".encode(), usedforsecurity=False).hexdigest()[:16]
    segment = _segment(document_id, f"quote-{digest}", span if stands else "", int(digest[:12], 16))
    return EdgeStatement(edge, given, segment, len(span) if stands else None)


def _segment(document_id: str, label: str, text: str, ordinal: int) -> Segment:
    own = segment_id(DocumentId(document_id), label)
    return Segment(own, label, ordinal, text, char_offset=0, line_start=1, modality=Modality.TEXT)


def _node_mention_row(stated: Statements, one: NodeStatement, roots: Roots) -> Row:
    properties = {
        "mention_id": stated.node_mention_id(one.node_id),
        "modality": Modality.TEXT.value,
        "verified": False,
        "explicit": one.explicit,
        "name": one.name,
        "kind": one.kind,
        "description": one.description,
        "aliases": one.aliases,
    }
    properties |= node_reference(one.node_id, roots)
    return {
        "segment_id": stated.plain_segment.segment_id,
        "node_id": properties["node_id"],
        "properties": properties,
    }


def _edge_mention_row(one: EdgeStatement, roots: Roots) -> Row:
    properties = {
        "mention_id": one.mention_id,
        "modality": one.given.modality.value,
        "evidence_span": one.given.evidence_span,
        "char_start": None if one.char_end is None else 0,
        "char_end": one.char_end,
        "ts_start": one.given.ts_start,
        "ts_end": one.given.ts_end,
        "verified": one.char_end is not None,
    }
    return {"segment_id": one.segment.segment_id, "properties": properties | edge_reference(one.edge, roots)}
