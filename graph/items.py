"""Maps as statements return them, made the views that answers are made of.

A statement that fetches many items returns them in one row, as lists of maps: the driver takes some 0.1 ms over each
row, however small, and next to nothing over a map within one.
"""

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Any, TypeAlias

from graph.answers import DocumentView, EdgeView, EdgeWithEnds, MentionView, NodeView, SegmentView

Item: TypeAlias = Mapping[str, Any]


def make_node(item: Item) -> NodeView:
    """Return the view of a node."""
    return NodeView(
        node_id=item["node_id"],
        name=item["name"],
        kind=item["kind"],
        description=item["description"],
        aliases=tuple(sorted(item["aliases"])),
        path=item["path"],
        line_start=item["line_start"],
        line_end=item["line_end"],
        signature=item["signature"],
    )


def make_nodes(items: Iterable[Item]) -> dict[str, NodeView]:
    """Return views of nodes by their ids."""
    return {item["node_id"]: make_node(item) for item in items}


def make_edge(item: Item, nodes: Mapping[str, NodeView]) -> EdgeWithEnds:
    """Return an edge with its ends, which are among `nodes`."""
    view = EdgeView(
        edge_id=item["edge_id"],
        source=item["source"],
        target=item["target"],
        relation=item["relation"],
        provenance=item["provenance"],
        confidence=item["confidence"],
        mentions=item["mentions"],
        path=item["path"],
        line=item["line"],
        evidence_span=item["evidence_span"],
    )
    return EdgeWithEnds(view, nodes[view.source], nodes[view.target])


def make_document(item: Item) -> DocumentView:
    """Return the view of a document; `ingested_ms` is in milliseconds since 1970."""
    return DocumentView(
        document_id=item["document_id"],
        path=item["path"],
        modality=item["modality"],
        status=item["status"],
        reason=item["reason"],
        language=item["language"],
        content_hash=item["content_hash"],
        ingested_at=datetime.fromtimestamp(item["ingested_ms"] / 1000, UTC),
        nodes=item["nodes"],
        edges=item["edges"],
        mentions=item["mentions"],
    )


def make_documents(items: Iterable[Item]) -> dict[str, DocumentView]:
    """Return views of documents by their ids."""
    return {item["document_id"]: make_document(item) for item in items}


def make_segment(item: Item, document_id: str) -> SegmentView:
    """Return the view of a segment of a document."""
    return SegmentView(
        segment_id=item["segment_id"],
        document_id=document_id,
        label=item["label"],
        ordinal=item["ordinal"],
        modality=item["modality"],
        char_offset=item["char_offset"],
        line_start=item["line_start"],
        ts_start=item["ts_start"],
        ts_end=item["ts_end"],
        page=item["page"],
        heading=item["heading"],
    )


def make_mention(item: Item, segments: Mapping[str, SegmentView], documents: Mapping[str, DocumentView]) -> MentionView:
    """Return the view of a mention, whose segment and document are among those given."""
    return MentionView(
        mention_id=item["mention_id"],
        document=documents[item["document_id"]],
        segment=segments[item["segment_id"]],
        modality=item["modality"],
        ts_start=item["ts_start"],
        ts_end=item["ts_end"],
        char_start=item["char_start"],
        char_end=item["char_end"],
        line_start=item["line_start"],
        line_end=item["line_end"],
        evidence_span=item["evidence_span"],
        verified=item["verified"],
        kind=item["kind"],
        term=item["term"],
        valid_from=item["valid_from"],
        valid_to=item["valid_to"],
        wording=item["wording"],
        description=item["description"],
    )
