"""Documents in and out of a tenant's graph, each with all its facts or not at all.

A batch of whole documents is one transaction: what a document said before is taken back, what it says now is
written, and what lost its last support goes, so no reader sees a document's state without its facts. A node lives
while a mention or an edge holds it; an edge while a mention does.
"""

from collections.abc import Iterable, Iterator, Sequence, Set
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


@dataclass(frozen=True, slots=True)
class _Deleted:
    deleted: int


@dataclass(slots=True)
class _Affected:
    """What a retraction may have left without support."""

    nodes: set[str]
    edges: dict[str, Row]


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
_UPSERT_NODES = load_statement("nodes/upsert_nodes", Nothing)
_ENSURE_NODES = load_statement("nodes/ensure_nodes", Nothing)
_DELETE_UNSUPPORTED_NODES = load_statement("nodes/delete_unsupported_nodes", _Deleted)
_LOCK_NODES = load_statement("nodes/lock_nodes", Nothing)
_UPSERT_EDGES = load_statement("edges/upsert_edges", Nothing)
_SETTLE_EDGES = load_statement("edges/settle_edges", _Deleted)


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
        coming = {node.node_id for stored in ordered for node in stored.result.nodes}
        affected = await _retract(transaction, [row.document_id for row in upserted if row.existed], coming)
        await _write_facts(transaction, ordered)
        await _settle(transaction, affected)

    await database.write(work)


async def delete_documents(database: Database, document_ids: Iterable[DocumentId]) -> None:
    """Remove documents with all that only they supported, in one transaction. Unknown ids are passed over."""
    wanted = sorted(document_ids)

    async def work(transaction: Transaction) -> None:
        locked = await transaction.run(_LOCK_DOCUMENTS, document_ids=wanted)
        found = [row.document_id for row in locked]
        affected = await _retract(transaction, found, set())
        await transaction.run(_DELETE_DOCUMENTS, document_ids=found)
        await _settle(transaction, affected)

    await database.write(work)


async def _retract(transaction: Transaction, document_ids: Sequence[str], coming: Set[str]) -> _Affected:
    if not document_ids:
        return _Affected(set(), {})
    nodes = await transaction.run(_MENTIONED_NODES, document_ids=document_ids)
    edges = await transaction.run(_MENTIONED_EDGES, document_ids=document_ids)
    going = {node.node_id for node in nodes} | {end for edge in edges for end in (edge.source, edge.target)}
    # One order of locks for all that is about to change: two writers wait for one another instead of deadlocking.
    for node_ids in _chunks(sorted(going | coming)):
        await transaction.run(_LOCK_NODES, node_ids=node_ids)
    await transaction.run(_DELETE_CONTENTS, document_ids=document_ids)
    return _Affected(
        going,
        {edge.edge_id: {"edge_id": edge.edge_id, "source": edge.source, "target": edge.target} for edge in edges},
    )


async def _settle(transaction: Transaction, affected: _Affected) -> None:
    for rows in _chunks(list(affected.edges.values())):
        await transaction.run(_SETTLE_EDGES, rows=rows, provenances=PROVENANCES)
    for node_ids in _chunks(sorted(affected.nodes)):
        await transaction.run(_DELETE_UNSUPPORTED_NODES, node_ids=node_ids)


async def _write_facts(transaction: Transaction, documents: Sequence[StoredDocument]) -> None:
    results = [stored.result for stored in documents]
    nodes = [node for result in results for node in result.nodes]
    declared = {node.node_id for node in nodes if node.declared}
    referred = (node for node in nodes if node.node_id not in declared)
    for rows in _chunks(node_rows(node for node in nodes if node.declared)):
        await transaction.run(_UPSERT_NODES, rows=rows, kind_labels=KIND_LABELS)
    for rows in _chunks(node_rows(referred)):
        await transaction.run(_ENSURE_NODES, rows=rows)
    for rows in _chunks(edge_rows(edge for result in results for edge in result.edges)):
        await transaction.run(_UPSERT_EDGES, rows=rows, provenances=PROVENANCES)
    for rows in _chunks([row for stored in documents for row in segment_rows(stored)]):
        await transaction.run(_CREATE_SEGMENTS, rows=rows)
    of_nodes, of_edges = mention_rows([mention for result in results for mention in result.mentions])
    for rows in _chunks(of_nodes):
        await transaction.run(_CREATE_NODE_MENTIONS, rows=rows)
    for rows in _chunks(of_edges):
        await transaction.run(_CREATE_EDGE_MENTIONS, rows=rows)
    for rows in _chunks([row for stored in documents for row in unresolved_rows(stored)]):
        await transaction.run(_CREATE_UNRESOLVED, rows=rows)


def _chunks(items: Sequence[_Item]) -> Iterator[Sequence[_Item]]:
    for start in range(0, len(items), ROWS_PER_STATEMENT):
        yield items[start : start + ROWS_PER_STATEMENT]
