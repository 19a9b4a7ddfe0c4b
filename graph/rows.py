"""Extraction results as the parameter rows of write statements."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from graph.identity import name_key
from graph.model import Document, Edge, ExtractionResult, Mention, Node, Provenance, Segment, Unresolved
from graph.roots import Roots, mapped_edge
from graph.terms import index_terms
from graph.vocabulary import kind_label, relation_type

PROVENANCES: Final = tuple(provenance.value for provenance in Provenance)
"""Strongest first: an edge shows the strongest of its mentions' provenances."""

NO_ROOTS: Final[Roots] = {}
_OPTIONAL: Final = ("kind", "confidence", "term", "valid_from", "valid_to", "wording", "description")
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
        "states": True if stored.result.stated else None,
        "nodes": stored.result.node_count,
        "edges": len(stored.result.edges),
        "mentions": len(stored.result.mentions),
        "text_bytes": count_bytes(segment.text for segment in stored.result.segments),
    }


def count_bytes(texts: Iterable[str]) -> int:
    """The bytes of texts in UTF-8."""
    return sum(len(text.encode()) for text in texts)


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
    for segment in stored.result.segments:
        yield segment_row(stored.result.document.document_id, segment)


def segment_row(document_id: str, segment: Segment) -> Row:
    """The row of a segment."""
    return {"document_id": document_id, "properties": _segment_properties(segment)}


def _segment_properties(segment: Segment) -> Row:
    return {
        "segment_id": segment.segment_id,
        "label": segment.label,
        "ordinal": segment.ordinal,
        "text": segment.text,
        "text_terms": index_terms(segment.text),
        "char_offset": segment.char_offset,
        "line_start": segment.line_start,
        "modality": segment.modality.value,
        "page": segment.page,
        "heading": segment.heading,
    }


def mention_rows(mentions: Sequence[Mention], roots: Roots = NO_ROOTS) -> tuple[list[Row], list[Row]]:
    """The rows of node mentions and of edge mentions. Those of merged nodes keep the ids that their source gave."""
    of_nodes: list[Row] = []
    of_edges: list[Row] = []
    for mention in mentions:
        properties = _mention_properties(mention)
        if mention.edge is not None:
            properties |= edge_reference(mention.edge, roots)
            of_edges.append({"segment_id": mention.segment_id, "properties": properties})
        else:
            properties |= node_reference(str(mention.node_id), roots)
            row = {"segment_id": mention.segment_id, "node_id": properties["node_id"], "properties": properties}
            of_nodes.append(row)
    return of_nodes, of_edges


def origin_rows(mentions: Iterable[Mention], roots: Roots) -> Iterator[Row]:
    """A row for each merged node that a mention speaks of."""
    for mention in mentions:
        subjects = (mention.edge.source, mention.edge.target) if mention.edge else (mention.node_id,)
        for node_id in sorted({str(subject) for subject in subjects if subject in roots}):
            yield {"mention_id": mention.mention_id, "node_id": node_id}


def _mention_properties(mention: Mention) -> Row:
    properties: Row = {
        "mention_id": mention.mention_id,
        "modality": mention.modality.value,
        "char_start": mention.char_start,
        "char_end": mention.char_end,
        "evidence_span": mention.evidence_span,
        "line_start": mention.line_start,
        "line_end": mention.line_end,
        "verified": True,
    }
    properties |= {name: value for name in _OPTIONAL if (value := getattr(mention, name)) is not None}
    if mention.stated is not None:
        properties |= {
            "name": mention.stated.name,
            "stated_kind": mention.stated.kind,
            "aliases": list(mention.stated.aliases),
            "weight": mention.stated.weight,
        }
    return properties


def node_reference(node_id: str, roots: Roots) -> Row:
    """The properties of a mention that say which node it is of."""
    if node_id not in roots:
        return {"node_id": node_id}
    return {"node_id": roots[node_id], "origin_node": node_id}


def edge_reference(edge: Edge, roots: Roots) -> Row:
    """The properties of a mention that say which edge it states."""
    shown = mapped_edge(edge, roots)
    reference = {
        "edge_id": shown.edge_id,
        "source": shown.source,
        "target": shown.target,
        "relation": edge.relation,
        "provenance": edge.provenance.value,
        "confidence": edge.confidence,
    }
    if edge.source in roots or edge.target in roots:
        reference |= {"origin_edge": edge.edge_id, "origin_source": edge.source, "origin_target": edge.target}
    return reference


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
