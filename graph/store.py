"""Documents in and out of a tenant's graph, each with all its facts or not at all.

A batch of whole documents is one transaction: what a document said before is taken back, what it says now is
written, and what lost its last support goes, so no reader sees a document's state without its facts. A node lives
while a mention or an edge holds it; an edge while a mention does.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from graph.database import Database, Transaction
from graph.errors import Conflict, LimitExceeded
from graph.evidence import check_evidence
from graph.identity import name_key
from graph.links import fetch_name_keys, settle_links
from graph.model import DocumentId, Edge
from graph.origins import check_write_state, get_write_state, lock_groups, write_origins, write_roots, write_stable
from graph.quotas import metered
from graph.restatement import settle_properties
from graph.roots import Roots, mapped_edge
from graph.rows import (
    StoredDocument,
    document_row,
    edge_rows,
    mention_rows,
    node_rows,
    origin_rows,
    segment_rows,
    unresolved_rows,
)
from graph.statements import Nothing, load_statement
from graph.steps import (
    EdgeRef,
    NodeRef,
    Removed,
    chunks,
    create_edges,
    fetch_affected,
    fetch_existing_edges,
    lock_nodes,
    settle,
)
from graph.vocabulary import KIND_LABELS


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


class Superseded(Conflict):
    """A document is not what it was when its facts were derived: they must be derived anew."""


@dataclass(frozen=True, slots=True)
class _Held:
    document_id: str
    content_hash: str


@dataclass(frozen=True, slots=True)
class _Upserted:
    document_id: str
    existed: bool


@dataclass(frozen=True, slots=True)
class _Locked:
    document_id: str


_UPSERT_DOCUMENTS = load_statement("documents/upsert_documents", _Upserted)
_LOCK_CONTENTS = load_statement("documents/lock_contents", _Held)
_LOCK_DOCUMENTS = load_statement("documents/lock_documents", _Locked)
_DELETE_CONTENTS = load_statement("documents/delete_contents", Nothing)
_DELETE_DOCUMENTS = load_statement("documents/delete_documents", Nothing)
_CREATE_SEGMENTS = load_statement("documents/create_segments", Nothing)
_CREATE_NODE_MENTIONS = load_statement("documents/create_node_mentions", Nothing)
_CREATE_EDGE_MENTIONS = load_statement("documents/create_edge_mentions", Nothing)
_LINK_ORIGINS = load_statement("merges/link_origins", Nothing)
_CREATE_UNRESOLVED = load_statement("documents/create_unresolved", Nothing)
_FETCH_STATES = load_statement("documents/fetch_document_states", DocumentState)
_UPSERT_NODES = load_statement("nodes/upsert_nodes", NodeRef)
_ENSURE_NODES = load_statement("nodes/ensure_nodes", NodeRef)


async def fetch_document_states(database: Database, folder_id: str) -> dict[DocumentId, DocumentState]:
    """The stored state of each document of an indexed folder."""
    rows = await database.fetch(_FETCH_STATES, folder_id=folder_id)
    return {DocumentId(row.document_id): row for row in rows}


async def upsert_documents(
    database: Database, documents: Sequence[StoredDocument], *, expected: Mapping[str, str] | None = None
) -> None:
    """Write whole documents, in place of what they said before, in one transaction.

    `expected` has, by document id, the content hash that must be stored still: Superseded is raised, and nothing
    written, where it is not. Raises EvidenceMismatch, before anything is written, for a span that its text does not
    have, and LimitExceeded, with nothing written, where the tenant would grow over a limit.
    """
    for stored in documents:
        check_evidence(stored.result)
    ordered = sorted(documents, key=lambda stored: stored.result.document.document_id)
    rows = [document_row(stored) for stored in ordered]
    named = {node.node_id for stored in ordered for node in stored.result.nodes}
    stated_nodes = {str(node_id) for stored in ordered for node_id in stored.result.stated}

    async def write(transaction: Transaction) -> None:
        await _check_contents(transaction, expected or {})
        upserted = await transaction.run(_UPSERT_DOCUMENTS, rows=rows)
        state = await get_write_state(transaction)  # these documents count
        stale = [row.document_id for row in upserted if row.existed]
        affected = await fetch_affected(transaction, stale)
        names = await _names(transaction, ordered, affected.nodes) if state.stated else set[str]()
        roots = await lock_groups(transaction, state, node_ids=named, document_ids=stale)
        stated = _stated_edges(ordered, roots)
        edges = edge_rows(stated)
        existing = await lock_nodes(transaction, affected.nodes | {roots.get(node_id, node_id) for node_id in named})
        known = await fetch_existing_edges(transaction, edges, existing)
        await _delete_contents(transaction, stale)
        appeared = await _write_nodes(transaction, ordered, roots) - existing
        if appeared:
            # Another writer made these nodes in the meantime, so maybe edges between them too.
            await lock_nodes(transaction, appeared)
            known = await fetch_existing_edges(transaction, edges, existing | appeared)
        await check_write_state(transaction, state)
        await create_edges(transaction, edges, known)
        await _write_contents(transaction, ordered, roots)
        affected.add_edges((*known, *_repeated_edges(stated)))
        await settle(transaction, affected)
        await settle_properties(transaction, stated=state.stated, node_ids=affected.nodes | stated_nodes, roots=roots)
        await settle_links(transaction, names)

    async def work(transaction: Transaction) -> None:
        async with metered(transaction):
            await write(transaction)

    await write_stable(database, work)


async def upsert_fitting(database: Database, documents: Sequence[StoredDocument]) -> None:
    """Write documents as `upsert_documents` does; where the tenant may not hold them all, one by one as far as it may.

    Raises LimitExceeded then, too; those before the one that has no room are written.
    """
    try:
        await upsert_documents(database, documents)
    except LimitExceeded:
        if len(documents) == 1:
            raise
        for stored in documents:
            await upsert_documents(database, [stored])


async def _names(transaction: Transaction, documents: Sequence[StoredDocument], node_ids: Iterable[str]) -> set[str]:
    """The names that a write may change the meaning of: those in the documents, and those of what they spoke of."""
    stated = {name_key(node.name) for stored in documents for node in stored.result.nodes}
    return stated | await fetch_name_keys(transaction, node_ids)


async def _check_contents(transaction: Transaction, expected: Mapping[str, str]) -> None:
    held = await transaction.run(_LOCK_CONTENTS, document_ids=sorted(expected)) if expected else []
    if {row.document_id: row.content_hash for row in held} != expected:
        raise Superseded("A document was changed by somebody else at the same time: try again.")


async def delete_documents(database: Database, document_ids: Iterable[DocumentId]) -> None:
    """Remove documents with all that only they supported, in one transaction. Unknown ids are passed over."""
    wanted = sorted(document_ids)

    async def work(transaction: Transaction) -> None:
        await retract(transaction, await lock_documents(transaction, wanted))

    await write_stable(database, work)


async def lock_documents(transaction: Transaction, document_ids: Sequence[str]) -> list[str]:
    """Lock documents, given in the order of their ids, and return those that are there."""
    return [row.document_id for row in await transaction.run(_LOCK_DOCUMENTS, document_ids=document_ids)]


async def retract(transaction: Transaction, document_ids: Sequence[str]) -> Removed:
    """Remove documents that are locked and tell what went with them. To be run within `write_stable`."""
    state = await get_write_state(transaction)
    affected = await fetch_affected(transaction, document_ids)
    names = await fetch_name_keys(transaction, affected.nodes) if state.stated else set[str]()
    roots = await lock_groups(transaction, state, node_ids=frozenset(), document_ids=document_ids)
    await lock_nodes(transaction, affected.nodes)
    await check_write_state(transaction, state)
    await _delete_contents(transaction, document_ids)
    await transaction.run(_DELETE_DOCUMENTS, document_ids=document_ids)
    removed = await settle(transaction, affected)
    await settle_properties(transaction, stated=state.stated, node_ids=affected.nodes, roots=roots)
    await settle_links(transaction, names)
    return removed


async def _delete_contents(transaction: Transaction, document_ids: Sequence[str]) -> None:
    if document_ids:
        await transaction.run(_DELETE_CONTENTS, document_ids=document_ids)


async def _write_nodes(transaction: Transaction, documents: Sequence[StoredDocument], roots: Roots) -> set[str]:
    """Write the nodes and return the ids of those that were there before, but for merged ones."""
    nodes = [node for stored in documents for node in stored.result.nodes]
    declared = {node.node_id: node for node in nodes if node.declared}
    referred = {node.node_id: node for node in nodes if node.node_id not in declared}
    existing: set[str] = set()
    for rows in chunks(node_rows(node for node in declared.values() if node.node_id not in roots)):
        found = await transaction.run(_UPSERT_NODES, rows=rows, kind_labels=KIND_LABELS)
        existing.update(row.node_id for row in found)
    for rows in chunks(node_rows(node for node in referred.values() if node.node_id not in roots)):
        existing.update(row.node_id for row in await transaction.run(_ENSURE_NODES, rows=rows))
    if roots:
        merged = [[node for node in group.values() if node.node_id in roots] for group in (declared, referred)]
        await write_origins(transaction, *merged)
        await write_roots(transaction, roots.values())
    return existing


def _stated_edges(documents: Sequence[StoredDocument], roots: Roots) -> list[Edge]:
    edges = (edge for stored in documents for edge in stored.result.edges)
    return [mapped_edge(edge, roots) for edge in edges] if roots else list(edges)


def _repeated_edges(stated: Sequence[Edge]) -> Iterator[EdgeRef]:
    """Edges that are stated several times: the strongest statement decides, not the last."""
    counts = Counter(edge.edge_id for edge in stated)
    for edge in stated:
        if counts[edge.edge_id] > 1:
            yield EdgeRef(edge.edge_id, edge.source, edge.target)


async def _write_contents(transaction: Transaction, documents: Sequence[StoredDocument], roots: Roots) -> None:
    for rows in chunks([row for stored in documents for row in segment_rows(stored)]):
        await transaction.run(_CREATE_SEGMENTS, rows=rows)
    mentions = [mention for stored in documents for mention in stored.result.mentions]
    of_nodes, of_edges = mention_rows(mentions, roots)
    for rows in chunks(of_nodes):
        await transaction.run(_CREATE_NODE_MENTIONS, rows=rows)
    for rows in chunks(of_edges):
        await transaction.run(_CREATE_EDGE_MENTIONS, rows=rows)
    for rows in chunks(list(origin_rows(mentions, roots)) if roots else []):
        await transaction.run(_LINK_ORIGINS, rows=rows)
    for rows in chunks([row for stored in documents for row in unresolved_rows(stored)]):
        await transaction.run(_CREATE_UNRESOLVED, rows=rows)
