"""Nodes and edges that a caller states, kept as the mentions of a document of their own.

The document has a segment for what is stated without evidence and one for each quotation, so that a statement is
supported, shown and taken back like any other. A fact's ends are statements, too: of a name and nothing more.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from graph.database import Database, Transaction
from graph.errors import Conflict, NotFound
from graph.folders import ASSERTED_FOLDER
from graph.identity import entity_id
from graph.links import fetch_name_keys, settle_links
from graph.model import Node, NodeId
from graph.origins import check_write_state, get_write_state, lock_groups, write_origins, write_roots, write_stable
from graph.quotas import metered
from graph.references import find_references
from graph.restatement import NodeStatement, settle_properties
from graph.roots import Roots, mapped_edge
from graph.rows import count_bytes, edge_rows, node_rows, segment_row
from graph.stated import EdgeAssertion, NodeAssertion, check_document_id, check_statements
from graph.statements import Nothing, load_statement
from graph.stating import Statements, edge_mention_rows, node_mention_rows, origin_rows, segment_refs, state
from graph.steps import Affected, EdgeRef, NodeRef, chunks, create_edges, fetch_existing_edges, lock_nodes, settle

__all__ = ["Asserted", "EdgeAssertion", "NodeAssertion", "upsert_graph"]

_NO_BYTES: Final = hashlib.sha256().hexdigest()


@dataclass(frozen=True, slots=True)
class Asserted:
    """How many nodes and edges a call states, each counted once, the ends of edges among the nodes."""

    nodes: int
    edges: int
    document_id: str


@dataclass(frozen=True, slots=True)
class _Owner:
    folder_id: str | None
    path: str | None


@dataclass(frozen=True, slots=True)
class _Replaced:
    segment_id: str
    earlier: str


@dataclass(frozen=True, slots=True)
class _Text:
    segment_id: str
    text: str


_UPSERT_DOCUMENT = load_statement("assertions/upsert_document", _Owner)
_CITED_TEXTS = load_statement("assertions/fetch_cited_texts", _Text)
_OWN_STATEMENTS = load_statement("assertions/fetch_own_statements", NodeStatement)
_UPSERT_SEGMENTS = load_statement("assertions/upsert_segments", _Replaced)
_UPSERT_NODE_MENTIONS = load_statement("assertions/upsert_node_mentions", Nothing)
_UPSERT_EDGE_MENTIONS = load_statement("assertions/upsert_edge_mentions", Nothing)
_COUNT_STATEMENTS = load_statement("assertions/count_statements", Nothing)
_ENSURE_NODES = load_statement("nodes/ensure_nodes", NodeRef)
_LINK_ORIGINS = load_statement("merges/link_origins", Nothing)


async def upsert_graph(
    database: Database, source_doc_id: str, nodes: Sequence[NodeAssertion], edges: Sequence[EdgeAssertion]
) -> Asserted:
    """State nodes and edges in the name of a document, adding to what it states already, in one transaction.

    The same again changes nothing; a statement repeated with another confidence has the last. An end is a node of this
    call, an id, or a name, in this order, and an entity of that name where there is none. Evidence that does not stand
    in its segment makes an unverified mention. A document that declares a node decides what it is like; where none
    does, all statements of it do, whatever their order. Deleting the document takes all of it back.

    Raises InvalidInput before any write, AmbiguousName for an end, NotFound for a segment, Conflict for the id of an
    indexed file, LimitExceeded, with nothing written, where the tenant would grow over a limit.
    """
    check_document_id(source_doc_id)
    checked_nodes, checked_edges = check_statements(nodes, edges)

    async def work(transaction: Transaction) -> Asserted:
        async with metered(transaction):
            await _claim_document(transaction, source_doc_id)
            stated = await _resolve(transaction, source_doc_id, checked_nodes, checked_edges)
            await _write(transaction, stated)
        return Asserted(len(stated.nodes), len({one.edge.edge_id for one in stated.edges}), source_doc_id)

    return await write_stable(database, work)


async def _claim_document(transaction: Transaction, document_id: str) -> None:
    [owner] = await transaction.run(
        _UPSERT_DOCUMENT, document_id=document_id, folder_id=ASSERTED_FOLDER, content_hash=_NO_BYTES
    )
    if owner.folder_id != ASSERTED_FOLDER:
        raise Conflict(
            f"{document_id} is an indexed file ({owner.path}): what it states comes from its text. Choose another id"
            " for your own statements."
        )


async def _resolve(
    transaction: Transaction, document_id: str, nodes: Sequence[NodeAssertion], edges: Sequence[EdgeAssertion]
) -> Statements:
    own = {entity_id(node.name) for node in nodes}
    refs = {ref for edge in edges for ref in (edge.source, edge.target) if entity_id(ref) not in own}
    known = await find_references(transaction, refs)
    texts: dict[str, str] = {}
    for chunk in chunks(segment_refs(edges)):
        rows = await transaction.run(_CITED_TEXTS, segment_ids=chunk)
        texts |= {row.segment_id: row.text for row in rows}
        missing = set(chunk).difference(texts)
        if missing:
            raise NotFound(f"There is no segment {min(missing)[:200]!r} to cite: see the segments of a document.")
    return state(document_id, nodes, edges, known=known, texts=texts)


async def _write(transaction: Transaction, stated: Statements) -> None:
    write_state = await get_write_state(transaction)
    roots = await lock_groups(transaction, write_state, node_ids=set(stated.nodes), document_ids=())
    stated_edges = [mapped_edge(one.edge, roots) for one in stated.edges]
    edges = edge_rows(stated_edges)
    existing = await lock_nodes(transaction, {roots.get(node_id, node_id) for node_id in stated.nodes})
    known = await fetch_existing_edges(transaction, edges, existing)
    appeared = await _ensure_nodes(transaction, stated, roots) - existing
    if appeared:
        await lock_nodes(transaction, appeared)
        known = await fetch_existing_edges(transaction, edges, existing | appeared)
    await check_write_state(transaction, write_state)
    await create_edges(transaction, edges, known)
    added_bytes = await _write_segments(transaction, stated)
    await _write_mentions(transaction, stated, roots)
    affected = Affected(set(), {})
    affected.add_edges(EdgeRef(edge.edge_id, edge.source, edge.target) for edge in stated_edges)
    await settle(transaction, affected)
    await settle_properties(transaction, stated=True, node_ids=stated.nodes, roots=roots)
    await settle_links(transaction, await fetch_name_keys(transaction, affected.nodes | set(stated.nodes)))
    await transaction.run(_COUNT_STATEMENTS, document_id=stated.document_id, added_bytes=added_bytes)


async def _ensure_nodes(transaction: Transaction, stated: Statements, roots: Roots) -> set[str]:
    """Write the nodes that are not there and return the ids of those that were, but for merged ones."""
    nodes = [Node(NodeId(one.node_id), one.name, one.kind) for one in stated.nodes.values()]
    existing: set[str] = set()
    for rows in chunks(node_rows(node for node in nodes if node.node_id not in roots)):
        existing.update(row.node_id for row in await transaction.run(_ENSURE_NODES, rows=rows))
    if roots:
        await write_origins(transaction, (), (node for node in nodes if node.node_id in roots))
        await write_roots(transaction, roots.values())
    return existing


async def _write_segments(transaction: Transaction, stated: Statements) -> int:
    """Write the segments and return the bytes of text that came with them, or went."""
    segments = stated.segments()
    added_bytes = count_bytes(segment.text for segment in segments)
    for rows in chunks([segment_row(stated.document_id, segment) for segment in segments]):
        replaced = await transaction.run(_UPSERT_SEGMENTS, document_id=stated.document_id, rows=rows)
        added_bytes -= count_bytes(row.earlier for row in replaced)
    return added_bytes


async def _write_mentions(transaction: Transaction, stated: Statements, roots: Roots) -> None:
    await _add_earlier(transaction, stated)
    for rows in chunks(node_mention_rows(stated, roots)):
        await transaction.run(_UPSERT_NODE_MENTIONS, rows=rows)
    for rows in chunks(edge_mention_rows(stated, roots)):
        await transaction.run(_UPSERT_EDGE_MENTIONS, rows=rows)
    for rows in chunks(origin_rows(stated, roots)):
        await transaction.run(_LINK_ORIGINS, rows=rows)


async def _add_earlier(transaction: Transaction, stated: Statements) -> None:
    """Put what the document stated of the same nodes before this call's statements of them."""
    later, stated.nodes = stated.nodes, {}
    mention_ids = [stated.node_mention_id(node_id) for node_id in sorted(later)]
    for chunk in chunks(mention_ids):
        rows = await transaction.run(_OWN_STATEMENTS, document_id=stated.document_id, mention_ids=chunk)
        for row in rows:
            stated.state_node(row)
    for one in later.values():
        stated.state_node(one)
