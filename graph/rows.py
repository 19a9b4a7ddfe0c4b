"""Extraction results as the parameter rows of write statements."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from graph.identity import name_key
from graph.model import Document, Edge, ExtractionResult, Mention, Node, Provenance, Segment, Unresolved
from graph.terms import index_terms
from graph.vocabulary import kind_label, relation_type

PROVENANCES: Final = tuple(provenance.value for provenance in Provenance)
"""Strongest first: an edge shows the strongest of its mentions' provenances."""

Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class StoredDocument:
    """A document's facts on their way into the store.

    `facts_hash` is the hash of all that `result` says beside the text; `folder_id` names the indexed folder.
    """

    result: ExtractionResult
    facts_hash: str
    folder_id: str

    @property
    def size(self) -> int:
        """The number of rows it takes, for batches of even weight."""
        result = self.result
        return len(result.nodes) + len(result.edges) + len(result.mentions) + len(result.segments)


def document_row(stored: StoredDocument) -> Row:
    """The row of a document, with the counts of what it states."""
    document: Document = stored.result.document
    return {
        "source_doc_id": document.document_id,
        "folder_id": stored.folder_id,
        "path": document.path,
        "content_hash": document.content_hash,
        "facts_hash": stored.facts_hash,
        "modality": document.modality.value,
        "status": document.status.value,
        "reason": document.reason,
        "language": document.language,
        "nodes": sum(1 for node in stored.result.nodes if node.declared),
        "edges": len(stored.result.edges),
        "mentions": len(stored.result.mentions),
    }


def node_rows(nodes: Iterable[Node]) -> list[Row]:
    """One row for each node id, sorted by it."""
    unique = {node.node_id: node for node in nodes}
    return [_node_row(unique[node_id]) for node_id in sorted(unique)]


def _node_row(node: Node) -> Row:
    return {
        "node_id": node.node_id,
        "label": kind_label(node.kind),
        "properties": {
            "node_id": node.node_id,
            "name": node.name,
            "name_key": name_key(node.name),
            "kind": node.kind,
            "description": node.description,
            "aliases": list(node.aliases),
            "path": node.path,
            "line_start": node.line_start,
            "line_end": node.line_end,
            "signature": node.signature,
            "exposed": list(node.exposed),
            "name_terms": index_terms(" ".join((node.name, *node.aliases))),
            "text_terms": index_terms(node.description) if node.description else "",
        },
    }


def edge_rows(edges: Iterable[Edge]) -> list[Row]:
    """One row for each edge, sorted by source, then target."""
    unique = {edge.edge_id: edge for edge in edges}
    ordered = sorted(unique.values(), key=lambda edge: (edge.source, edge.target, edge.edge_id))
    return [
        {
            "edge_id": edge.edge_id,
            "source": edge.source,
            "target": edge.target,
            "type": relation_type(edge.relation),
            "properties": {
                "edge_id": edge.edge_id,
                "relation": edge.relation,
                "provenance": edge.provenance.value,
                "confidence": edge.confidence,
            },
        }
        for edge in ordered
    ]


def segment_rows(stored: StoredDocument) -> Iterator[Row]:
    """A row for each segment."""
    document_id = stored.result.document.document_id
    for segment in stored.result.segments:
        yield {"document_id": document_id, "properties": _segment_properties(segment)}


def _segment_properties(segment: Segment) -> Row:
    return {
        "segment_id": segment.segment_id,
        "label": segment.label,
        "ordinal": segment.ordinal,
        "text": segment.text,
        "char_offset": segment.char_offset,
        "line_start": segment.line_start,
        "modality": segment.modality.value,
    }


def mention_rows(mentions: Sequence[Mention]) -> tuple[list[Row], list[Row]]:
    """The rows of node mentions and of edge mentions."""
    of_nodes: list[Row] = []
    of_edges: list[Row] = []
    for mention in mentions:
        properties = _mention_properties(mention)
        if mention.edge is not None:
            properties |= _edge_reference(mention.edge)
            of_edges.append({"segment_id": mention.segment_id, "properties": properties})
        else:
            row = {"segment_id": mention.segment_id, "node_id": mention.node_id, "properties": properties}
            properties["node_id"] = mention.node_id
            of_nodes.append(row)
    return of_nodes, of_edges


def _mention_properties(mention: Mention) -> Row:
    return {
        "mention_id": mention.mention_id,
        "modality": mention.modality.value,
        "char_start": mention.char_start,
        "char_end": mention.char_end,
        "evidence_span": mention.evidence_span,
        "line_start": mention.line_start,
        "line_end": mention.line_end,
        "verified": True,
    }


def _edge_reference(edge: Edge) -> Row:
    return {
        "edge_id": edge.edge_id,
        "source": edge.source,
        "target": edge.target,
        "relation": edge.relation,
        "provenance": edge.provenance.value,
        "confidence": edge.confidence,
    }


def unresolved_rows(stored: StoredDocument) -> Iterator[Row]:
    """A row for each use that could not be resolved."""
    document_id = stored.result.document.document_id
    for use in stored.result.unresolved:
        yield {"document_id": document_id, "properties": _unresolved_properties(use)}


def _unresolved_properties(use: Unresolved) -> Row:
    return {
        "source": use.source,
        "relation": use.relation,
        "name": use.name,
        "reason": use.reason,
        "line": use.line,
        "count": use.count,
    }
