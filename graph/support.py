"""What lies around nodes, edges, documents and segments, for many parents at once: one statement each.

Answers have every request that was made: a parent that is not there has an empty page or a count of 0. Pages are
stable: what comes or goes between two of them moves nothing else.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple, TypeVar

from graph.answers import Direction, DocumentView, EdgeWithEnds, Key, MentionView, NodeView, Page, SegmentView
from graph.database import Database
from graph.errors import InvalidInput
from graph.items import (
    Item,
    make_documents,
    make_edge,
    make_mention,
    make_nodes,
    make_segment,
)
from graph.model import Modality
from graph.requests import Batch, EdgesRequest, NeighborsRequest, PageRequest, check_key, side_row
from graph.statements import Statement, load_statement
from graph.vocabulary import CLAIM_RELATIONS

__all__ = ["EdgesRequest", "NeighborsRequest", "PageRequest"]

SegmentEdgesRequest = tuple[str, bool, int]
"""A segment's id, whether only its claims are wanted, and how many edges at most."""

EdgeCountRequest = tuple[str, Direction, tuple[str, ...]]
"""A node's id, a direction and relations, all when empty."""

DegreeRequest = tuple[str, Direction]
"""A node's id and a direction."""

_CLAIMS: Final = {
    "relations": sorted(CLAIM_RELATIONS),
    "modalities": [modality.value for modality in Modality if modality is not Modality.CODE],
}
_ALL_STATED: Final[dict[str, list[str]]] = {"relations": [], "modalities": []}
_MENTION_KEY: Final = (str, int, int, int, str)
_SEGMENT_KEY: Final = (int, str)
_ID_KEY: Final = (str,)

_Request = TypeVar("_Request")


class _SegmentEdges(NamedTuple):
    parent: str
    claims_only: bool
    first: int


@dataclass(frozen=True, slots=True)
class _SupportRow:
    mentions: list[Item]
    segments: list[Item]
    stated: list[Item]
    documents: list[Item]


@dataclass(frozen=True, slots=True)
class _MentionsRow:
    mentions: list[Item]
    segments: list[Item]
    documents: list[Item]


@dataclass(frozen=True, slots=True)
class _EdgesRow:
    edges: list[Item]
    nodes: list[Item]


@dataclass(frozen=True, slots=True)
class _PlacesRow:
    places: list[Item]
    nodes: list[Item]


@dataclass(frozen=True, slots=True)
class _SegmentsRow:
    segments: list[Item]


@dataclass(frozen=True, slots=True)
class _DocumentsRow:
    documents: list[Item]


@dataclass(frozen=True, slots=True)
class _TextsRow:
    texts: list[Item]


@dataclass(frozen=True, slots=True)
class _CountsRow:
    counts: list[Item]


_FETCH_SUPPORT = load_statement("support/fetch_node_support", _SupportRow)
_FETCH_EDGE_MENTIONS = load_statement("support/fetch_edge_mentions", _MentionsRow)
_FETCH_NODE_EDGES = load_statement("support/fetch_node_edges", _EdgesRow)
_FETCH_NEIGHBORS = load_statement("support/fetch_node_neighbors", _PlacesRow)
_FETCH_DOCUMENT_SEGMENTS = load_statement("support/fetch_document_segments", _SegmentsRow)
_FETCH_ENTITIES = load_statement("support/fetch_segment_entities", _PlacesRow)
_FETCH_SEGMENT_EDGES = load_statement("support/fetch_segment_edges", _EdgesRow)
_FETCH_TEXTS = load_statement("support/fetch_segment_texts", _TextsRow)
_FETCH_DOCUMENTS = load_statement("support/fetch_documents", _DocumentsRow)
_COUNT_NODE_MENTIONS = load_statement("support/count_node_mentions", _CountsRow)
_COUNT_EDGE_MENTIONS = load_statement("support/count_edge_mentions", _CountsRow)
_COUNT_NODE_EDGES = load_statement("support/count_node_edges", _CountsRow)
_COUNT_SEGMENTS = load_statement("support/count_document_segments", _CountsRow)
_COUNT_DEGREES = load_statement("support/count_node_degrees", _CountsRow)


async def fetch_node_support(
    database: Database, mentions: Sequence[PageRequest], documents: Sequence[PageRequest]
) -> tuple[dict[PageRequest, Page[MentionView]], dict[PageRequest, Page[DocumentView]]]:
    """The mentions of nodes, and the documents that mention nodes, both in one statement.

    Mentions come by document id, line, segment, character and id; documents by id. Raises InvalidInput for a key
    that fits no such list, or a `first` outside 0 to 1,000.
    """
    wanted, stating = Batch(mentions), Batch(documents)
    if not wanted.requests and not stating.requests:
        return {}, {}
    (row,) = await database.fetch(
        _FETCH_SUPPORT,
        mentions=_mention_rows(wanted),
        documents=stating.rows({"parent": request.parent, "after": _after_id(request)} for request in stating.requests),
        limit=max(wanted.limit, stating.limit),
    )
    views = make_documents(row.documents)
    found = ((item["position"], views[item["document_id"]], (item["document_id"],)) for item in row.stated)
    return wanted.pages(_mentions(row, views)), stating.pages(found)


async def fetch_edge_mentions(
    database: Database, requests: Sequence[PageRequest]
) -> dict[PageRequest, Page[MentionView]]:
    """The mentions of edges, by document id, line, segment, character and id. Raises as `fetch_node_support`."""
    batch = Batch(requests)
    if not batch.requests:
        return {}
    (row,) = await database.fetch(_FETCH_EDGE_MENTIONS, rows=_mention_rows(batch), limit=batch.limit)
    return batch.pages(_mentions(row, make_documents(row.documents)))


async def fetch_node_edges(
    database: Database, requests: Sequence[EdgesRequest]
) -> dict[EdgesRequest, Page[EdgeWithEnds]]:
    """The edges at nodes by edge id; a self-loop comes once.

    Raises InvalidInput for an unknown relation, a key that fits no such list, or a `first` outside 0 to 1,000.
    """
    batch = Batch(requests)
    if not batch.requests:
        return {}
    rows = batch.rows(
        {"parent": request.parent, "after": _after_id(request), **side_row(request.direction, request.relations)}
        for request in batch.requests
    )
    (row,) = await database.fetch(_FETCH_NODE_EDGES, rows=rows, limit=batch.limit)
    nodes = make_nodes(row.nodes)
    return batch.pages((item["position"], make_edge(item, nodes), (item["edge_id"],)) for item in row.edges)


async def fetch_node_neighbors(
    database: Database, requests: Sequence[NeighborsRequest]
) -> dict[NeighborsRequest, tuple[NodeView, ...]]:
    """The nodes one edge away, each once, by id; the node itself only where an edge joins it to itself.

    Raises InvalidInput for an unknown relation or a `first` outside 0 to 1,000.
    """
    batch = Batch(requests)
    if not batch.requests:
        return {}
    rows = batch.rows(
        {"parent": request.parent, **side_row(request.direction, request.relations)} for request in batch.requests
    )
    (row,) = await database.fetch(_FETCH_NEIGHBORS, rows=rows, limit=batch.limit)
    return batch.lists(_places(row))


async def fetch_document_segments(
    database: Database, requests: Sequence[PageRequest]
) -> dict[PageRequest, Page[SegmentView]]:
    """The segments of documents, in the order of the text. Raises as `fetch_node_support`."""
    batch = Batch(requests)
    if not batch.requests:
        return {}
    rows = batch.rows(
        {"parent": request.parent, "after": check_key(request.after, _SEGMENT_KEY)} for request in batch.requests
    )
    (row,) = await database.fetch(_FETCH_DOCUMENT_SEGMENTS, rows=rows, limit=batch.limit)
    return batch.pages(
        (item["position"], make_segment(item, item["document_id"]), tuple(item["key"])) for item in row.segments
    )


async def fetch_segment_entities(
    database: Database, requests: Sequence[PageRequest]
) -> dict[PageRequest, tuple[NodeView, ...]]:
    """The nodes that segments mention, each once, by their first place in the text, then by id.

    There are no further pages: raises InvalidInput for a request with a key, or a `first` outside 0 to 1,000.
    """
    batch = Batch(requests)
    if any(request.after is not None for request in batch.requests):
        raise InvalidInput("The entities of a segment have no pages: ask for more of them at once.")
    if not batch.requests:
        return {}
    rows = batch.rows({"parent": request.parent} for request in batch.requests)
    (row,) = await database.fetch(_FETCH_ENTITIES, rows=rows, limit=batch.limit)
    return batch.lists(_places(row))


async def fetch_segment_edges(
    database: Database, requests: Sequence[SegmentEdgesRequest]
) -> dict[SegmentEdgesRequest, tuple[EdgeWithEnds, ...]]:
    """The edges that segments state, each once, by their first place in the text, then by id.

    Claims are those of a claim relation in a segment that is not code. Raises InvalidInput for more than 1,000.
    """
    batch = Batch(_SegmentEdges(*request) for request in requests)
    if not batch.requests:
        return {}
    rows = batch.rows(
        {"parent": request.parent, **(_CLAIMS if request.claims_only else _ALL_STATED)} for request in batch.requests
    )
    (row,) = await database.fetch(_FETCH_SEGMENT_EDGES, rows=rows, limit=batch.limit)
    nodes = make_nodes(row.nodes)
    found = batch.lists((item["position"], make_edge(item, nodes)) for item in row.edges)
    return {(request.parent, request.claims_only, request.first): edges for request, edges in found.items()}


async def fetch_segment_texts(database: Database, segment_ids: Sequence[str]) -> dict[str, str]:
    """The texts of segments by id; those that are not there are left out."""
    if not segment_ids:
        return {}
    (row,) = await database.fetch(_FETCH_TEXTS, segment_ids=sorted(set(segment_ids)))
    return {item["segment_id"]: item["text"] for item in row.texts}


async def fetch_document_views(database: Database, document_ids: Sequence[str]) -> dict[str, DocumentView]:
    """Documents by id; those that are not there are left out."""
    if not document_ids:
        return {}
    (row,) = await database.fetch(_FETCH_DOCUMENTS, document_ids=sorted(set(document_ids)))
    return make_documents(row.documents)


async def count_node_mentions(database: Database, node_ids: Sequence[str]) -> dict[str, int]:
    """How many mentions each node has."""
    return await _count(database, _COUNT_NODE_MENTIONS, {node_id: {"parent": node_id} for node_id in node_ids})


async def count_edge_mentions(database: Database, edge_ids: Sequence[str]) -> dict[str, int]:
    """How many mentions each edge has."""
    return await _count(database, _COUNT_EDGE_MENTIONS, {edge_id: {"parent": edge_id} for edge_id in edge_ids})


async def count_document_segments(database: Database, document_ids: Sequence[str]) -> dict[str, int]:
    """How many segments each document has."""
    return await _count(
        database, _COUNT_SEGMENTS, {document_id: {"parent": document_id} for document_id in document_ids}
    )


async def count_node_edges(database: Database, requests: Sequence[EdgeCountRequest]) -> dict[EdgeCountRequest, int]:
    """How many edges nodes have in a direction; a self-loop is one edge, in both directions too.

    Raises InvalidInput for an unknown relation.
    """
    rows = {request: {"parent": request[0], **side_row(request[1], request[2])} for request in requests}
    return await _count(database, _COUNT_NODE_EDGES, rows)


async def count_node_degrees(database: Database, requests: Sequence[DegreeRequest]) -> dict[DegreeRequest, int]:
    """How many ends of edges are at nodes: in both directions a self-loop counts twice, once for each end."""
    rows = {request: {"parent": request[0], **side_row(request[1], ())} for request in requests}
    return await _count(database, _COUNT_DEGREES, rows)


async def _count(
    database: Database, statement: Statement[_CountsRow], rows: Mapping[_Request, Mapping[str, Any]]
) -> dict[_Request, int]:
    if not rows:
        return {}
    numbered = [{"position": position, **row} for position, row in enumerate(rows.values())]
    (row,) = await database.fetch(statement, rows=numbered)
    counts = {item["position"]: item["count"] for item in row.counts}
    return {request: counts.get(position, 0) for position, request in enumerate(rows)}


def _mention_rows(batch: Batch[PageRequest]) -> list[dict[str, Any]]:
    return batch.rows(
        {"parent": request.parent, "after": check_key(request.after, _MENTION_KEY)} for request in batch.requests
    )


def _mentions(
    row: _SupportRow | _MentionsRow, documents: Mapping[str, DocumentView]
) -> Iterator[tuple[int, MentionView, Key]]:
    owners = {item["segment_id"]: item["document_id"] for item in row.mentions}
    segments = {item["segment_id"]: make_segment(item, owners[item["segment_id"]]) for item in row.segments}
    for item in row.mentions:
        yield item["position"], make_mention(item, segments, documents), tuple(item["key"])


def _places(row: _PlacesRow) -> Iterator[tuple[int, NodeView]]:
    nodes = make_nodes(row.nodes)
    for item in row.places:
        yield item["position"], nodes[item["node_id"]]


def _after_id(request: PageRequest | EdgesRequest) -> str:
    key = check_key(request.after, _ID_KEY)
    return "" if key is None else str(key[0])
