"""Documents in and out of a tenant's graph, each with all its facts or not at all.

A batch of whole documents is one transaction: what a document said before is taken back, what it says now is
written, and what lost its last support goes, so no reader sees a document's state without its facts. A node lives
while a mention or an edge holds it; an edge while a mention does.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Final, TypeVar

from graph.database import Database, Transaction
from graph.evidence import check_evidence
from graph.model import DocumentId
from graph.rows import (
    PROVENANCES,
    Row,
    StoredDocument,
    document_row,
    edge_rows,
    mention_rows,
    node_rows,
    segment_rows,
    unresolved_rows,
)
from graph.statements import Nothing, load_statement
from graph.vocabulary import KIND_LABELS

_Item = TypeVar("_Item")

ROWS_PER_STATEMENT: Final = 5_000
"""Rows of one UNWIND; throughput is flat from 1,000 on."""


@dataclass(frozen=True, slots=True)
class DocumentState:
    """What is stored of a document: enough to tell whether it must be written again."""

    document_id: str
    content_hash: str
    facts_hash: str
    status: str
    nodes: int
    edges: int
    mentions: int


@dataclass(frozen=True, slots=True)
class _Upserted:
    document_id: str
    existed: bool


@dataclass(frozen=True, slots=True)
class _Locked:
    document_id: str


@dataclass(frozen=True, slots=True)
class _NodeRef:
    node_id: str


@dataclass(frozen=True, slots=True)
class _EdgeRef:
    edge_id: str
    source: str
    target: str


@dataclass(slots=True)
class _Affected:
    """Nodes that may have lost their last support, and edges whose mentions have changed, by id."""

    nodes: set[str]
    edges: dict[str, Row]

    def add_edges(self, edges: Iterable[_EdgeRef]) -> None:
        for edge in edges:
            self.edges[edge.edge_id] = {"edge_id": edge.edge_id, "source": edge.source, "target": edge.target}


_UPSERT_DOCUMENTS = load_statement("documents/upsert_documents", _Upserted)
_LOCK_DOCUMENTS = load_statement("documents/lock_documents", _Locked)
_MENTIONED_NODES = load_statement("documents/fetch_mentioned_nodes", _NodeRef)
_MENTIONED_EDGES = load_statement("documents/fetch_mentioned_edges", _EdgeRef)
_DELETE_CONTENTS = load_statement("documents/delete_contents", Nothing)
_DELETE_DOCUMENTS = load_statement("documents/delete_documents", Nothing)
_CREATE_SEGMENTS = load_statement("documents/create_segments", Nothing)
_CREATE_NODE_MENTIONS = load_statement("documents/create_node_mentions", Nothing)
_CREATE_EDGE_MENTIONS = load_statement("documents/create_edge_mentions", Nothing)
_CREATE_UNRESOLVED = load_statement("documents/create_unresolved", Nothing)
_FETCH_STATES = load_statement("documents/fetch_document_states", DocumentState)
_UPSERT_NODES = load_statement("nodes/upsert_nodes", _NodeRef)
_ENSURE_NODES = load_statement("nodes/ensure_nodes", _NodeRef)
_DELETE_UNSUPPORTED_NODES = load_statement("nodes/delete_unsupported_nodes", Nothing)
_LOCK_NODES = load_statement("nodes/lock_nodes", _NodeRef)
_EXISTING_EDGES = load_statement("edges/fetch_existing_edges", _EdgeRef)
_CREATE_EDGES = load_statement("edges/create_edges", Nothing)
_SETTLE_EDGES = load_statement("edges/settle_edges", Nothing)


async def fetch_document_states(database: Database, folder_id: str) -> dict[DocumentId, DocumentState]:
    """The stored state of each document of an indexed folder."""
    rows = await database.fetch(_FETCH_STATES, folder_id=folder_id)
    return {DocumentId(row.document_id): row for row in rows}


async def upsert_documents(database: Database, documents: Sequence[StoredDocument]) -> None:
    """Write whole documents, in place of what they said before, in one transaction.

    Raises EvidenceMismatch, before anything is written, for a span that its text does not have.
    """
    for stored in documents:
        check_evidence(stored.result)
    ordered = sorted(documents, key=lambda stored: stored.result.document.document_id)
    rows = [document_row(stored) for stored in ordered]

    async def work(transaction: Transaction) -> None:
        upserted = await transaction.run(_UPSERT_DOCUMENTS, rows=rows)
        stale = [row.document_id for row in upserted if row.existed]
        affected = await _fetch_affected(transaction, stale)
        edges = edge_rows(edge for stored in ordered for edge in stored.result.edges)
        coming = {node.node_id for stored in ordered for node in stored.result.nodes}
        existing = await _lock_nodes(transaction, affected.nodes | coming)
        known = await _fetch_existing_edges(transaction, edges, existing)
        await _delete_contents(transaction, stale)
        appeared = await _write_nodes(transaction, ordered) - existing
        if appeared:
            # Another writer made these nodes in the meantime, so maybe edges between them too.
            await _lock_nodes(transaction, appeared)
            known = await _fetch_existing_edges(transaction, edges, existing | appeared)
        await _create_edges(transaction, edges, known)
        await _write_contents(transaction, ordered)
        affected.add_edges((*known, *_repeated_edges(ordered)))
        await _settle(transaction, affected)

    await database.write(work)


async def delete_documents(database: Database, document_ids: Iterable[DocumentId]) -> None:
    """Remove documents with all that only they supported, in one transaction. Unknown ids are passed over."""
    wanted = sorted(document_ids)

    async def work(transaction: Transaction) -> None:
        locked = await transaction.run(_LOCK_DOCUMENTS, document_ids=wanted)
        found = [row.document_id for row in locked]
        affected = await _fetch_affected(transaction, found)
        await _lock_nodes(transaction, affected.nodes)
        await _delete_contents(transaction, found)
        await transaction.run(_DELETE_DOCUMENTS, document_ids=found)
        await _settle(transaction, affected)

    await database.write(work)


async def _fetch_affected(transaction: Transaction, document_ids: Sequence[str]) -> _Affected:
    """What documents mention, and so may take with them."""
    if not document_ids:
        return _Affected(set(), {})
    nodes = await transaction.run(_MENTIONED_NODES, document_ids=document_ids)
    edges = await transaction.run(_MENTIONED_EDGES, document_ids=document_ids)
    ends = {end for edge in edges for end in (edge.source, edge.target)}
    affected = _Affected({node.node_id for node in nodes} | ends, {})
    affected.add_edges(edges)
    return affected


async def _lock_nodes(transaction: Transaction, node_ids: AbstractSet[str]) -> set[str]:
    """Lock nodes and return the ids of those that are there.

    All that a transaction is about to touch is locked first and in one order: two writers wait for one another instead
    of deadlocking, and neither finds an edge missing that the other is about to write.
    """
    found: set[str] = set()
    for chunk in _chunks(sorted(node_ids)):
        found.update(row.node_id for row in await transaction.run(_LOCK_NODES, node_ids=chunk))
    return found


async def _delete_contents(transaction: Transaction, document_ids: Sequence[str]) -> None:
    if document_ids:
        await transaction.run(_DELETE_CONTENTS, document_ids=document_ids)


async def _settle(transaction: Transaction, affected: _Affected) -> None:
    for rows in _chunks(list(affected.edges.values())):
        await transaction.run(_SETTLE_EDGES, rows=rows, provenances=PROVENANCES)
    for node_ids in _chunks(sorted(affected.nodes)):
        await transaction.run(_DELETE_UNSUPPORTED_NODES, node_ids=node_ids)


async def _write_nodes(transaction: Transaction, documents: Sequence[StoredDocument]) -> set[str]:
    """Write the nodes and return the ids of those that were there before."""
    nodes = [node for stored in documents for node in stored.result.nodes]
    declared = {node.node_id: node for node in nodes if node.declared}
    referred = (node for node in nodes if node.node_id not in declared)
    existing: set[str] = set()
    for rows in _chunks(node_rows(declared.values())):
        found = await transaction.run(_UPSERT_NODES, rows=rows, kind_labels=KIND_LABELS)
        existing.update(row.node_id for row in found)
    for rows in _chunks(node_rows(referred)):
        existing.update(row.node_id for row in await transaction.run(_ENSURE_NODES, rows=rows))
    return existing


async def _fetch_existing_edges(
    transaction: Transaction, edges: Sequence[Row], nodes: AbstractSet[str]
) -> list[_EdgeRef]:
    """Those of the edges that are there: an edge can be only where both its ends were before."""
    found: list[_EdgeRef] = []
    for rows in _chunks([row for row in edges if row["source"] in nodes and row["target"] in nodes]):
        found.extend(await transaction.run(_EXISTING_EDGES, rows=rows))
    return found


async def _create_edges(transaction: Transaction, edges: Sequence[Row], known: Sequence[_EdgeRef]) -> None:
    there = {edge.edge_id for edge in known}
    for rows in _chunks([row for row in edges if row["edge_id"] not in there]):
        await transaction.run(_CREATE_EDGES, rows=rows)


def _repeated_edges(documents: Sequence[StoredDocument]) -> Iterator[_EdgeRef]:
    """Edges that several of the documents state: the strongest statement decides, not the last."""
    stated = [edge for stored in documents for edge in stored.result.edges]
    counts = Counter(edge.edge_id for edge in stated)
    for edge in stated:
        if counts[edge.edge_id] > 1:
            yield _EdgeRef(edge.edge_id, edge.source, edge.target)


async def _write_contents(transaction: Transaction, documents: Sequence[StoredDocument]) -> None:
    for rows in _chunks([row for stored in documents for row in segment_rows(stored)]):
        await transaction.run(_CREATE_SEGMENTS, rows=rows)
    of_nodes, of_edges = mention_rows([mention for stored in documents for mention in stored.result.mentions])
    for rows in _chunks(of_nodes):
        await transaction.run(_CREATE_NODE_MENTIONS, rows=rows)
    for rows in _chunks(of_edges):
        await transaction.run(_CREATE_EDGE_MENTIONS, rows=rows)
    for rows in _chunks([row for stored in documents for row in unresolved_rows(stored)]):
        await transaction.run(_CREATE_UNRESOLVED, rows=rows)


def _chunks(items: Sequence[_Item]) -> Iterator[Sequence[_Item]]:
    for start in range(0, len(items), ROWS_PER_STATEMENT):
        yield items[start : start + ROWS_PER_STATEMENT]
