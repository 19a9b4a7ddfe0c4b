"""Small documents for tests of the graph layer, built without an extractor."""

from graph.identity import edge_id, entity_id, mention_id, segment_id
from graph.model import (
    Document,
    DocumentId,
    Edge,
    ExtractionResult,
    Mention,
    Modality,
    Node,
    NodeId,
    Provenance,
    Segment,
    SegmentId,
)
from graph.rows import StoredDocument

Fact = tuple[str, str, str]


def document(
    name: str,
    *facts: Fact,
    alone: tuple[str, ...] = (),
    kind: str = "entity",
    confidence: float = 1.0,
    provenance: Provenance = Provenance.EXTRACTED,
    folder: str = "folder",
) -> StoredDocument:
    """A text that states each fact once, `source relation target.`, and names each of `alone`."""
    text = "".join(f"{source} {relation} {target}.\n" for source, relation, target in facts)
    text += "".join(f"{other}.\n" for other in alone)
    document_id = DocumentId(name)
    segment = Segment(segment_id(document_id, "L1"), "L1", 0, text, 0, 1, Modality.TEXT)
    names = dict.fromkeys([end for fact in facts for end in (fact[0], fact[2])] + list(alone))
    nodes = [Node(entity_id(one), one, kind) for one in names]
    edges = {edge.edge_id: edge for edge in (_edge(fact, confidence, provenance) for fact in facts)}
    mentions = [_mention(segment, node.name, node_id=node.node_id) for node in nodes]
    mentions += [
        _mention(segment, " ".join(fact), edge=edges[_edge(fact, confidence, provenance).edge_id]) for fact in facts
    ]
    result = ExtractionResult(
        document=Document(document_id, name, f"hash of {text}", Modality.TEXT),
        segments=(segment,),
        nodes=tuple(nodes),
        edges=tuple(edges.values()),
        mentions=tuple(mentions),
    )
    return StoredDocument(result, facts_hash=f"{text}{kind}{confidence}{provenance}", folder_id=folder)


def _edge(fact: Fact, confidence: float, provenance: Provenance) -> Edge:
    source, relation, target = entity_id(fact[0]), fact[1], entity_id(fact[2])
    return Edge(edge_id(source, relation, target), source, target, relation, provenance, confidence)


def _mention(segment: Segment, span: str, *, node_id: NodeId | None = None, edge: Edge | None = None) -> Mention:
    start = segment.text.index(span)
    line = segment.text.count("\n", 0, start) + 1
    subject = edge.edge_id if edge else str(node_id)
    return Mention(
        mention_id=mention_id(SegmentId(segment.segment_id), subject, start, start + len(span)),
        segment_id=segment.segment_id,
        char_start=start,
        char_end=start + len(span),
        evidence_span=span,
        line_start=line,
        line_end=line,
        node_id=node_id,
        edge=edge,
        modality=Modality.TEXT,
    )
