"""Showing nodes as others, or as themselves again: mentions move, and the edges follow from them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from graph.database import Transaction
from graph.links import fetch_name_keys, settle_links
from graph.model import Edge, EdgeId, NodeId, Provenance
from graph.origins import Origin, fetch_roots, lock_origins, write_roots
from graph.roots import mapped_edge
from graph.rows import Row, edge_rows
from graph.statements import Nothing, load_statement
from graph.steps import Affected, EdgeRef, NodeRef, chunks, create_edges, fetch_existing_edges, lock_nodes, settle


@dataclass(frozen=True, slots=True)
class _OriginMention:
    """A mention of a merged node: what it counts for now, and in `origin_…` what its source states."""

    mention_id: str
    node_id: str | None
    edge_id: str | None
    source: str | None
    target: str | None
    relation: str | None
    provenance: str | None
    confidence: float | None
    origin_node: str | None
    origin_edge: str | None
    origin_source: str | None
    origin_target: str | None

    def stated_edge(self) -> Edge:
        return Edge(
            EdgeId(self.origin_edge or ""),
            NodeId(self.origin_source or ""),
            NodeId(self.origin_target or ""),
            self.relation or "",
            Provenance(self.provenance or ""),
            self.confidence or 0.0,
        )

    def shown_edge(self) -> EdgeRef:
        return EdgeRef(self.edge_id or "", self.source or "", self.target or "")


_CREATE_ORIGINS = load_statement("merges/create_origins", Nothing)
_LINK_NODE_MENTIONS = load_statement("merges/link_node_mentions", Nothing)
_LINK_EDGE_MENTIONS = load_statement("merges/link_edge_mentions", Nothing)
_NEIGHBORS = load_statement("merges/fetch_neighbors", NodeRef)
_MENTIONS = load_statement("merges/fetch_origin_mentions", _OriginMention)
_SET_ROOTS = load_statement("merges/set_roots", Nothing)
_MOVE_NODE_MENTIONS = load_statement("merges/move_node_mentions", Nothing)
_MOVE_EDGE_MENTIONS = load_statement("merges/move_edge_mentions", Nothing)
_DELETE_ORIGINS = load_statement("merges/delete_origins", Nothing)
_RELEASE_MENTIONS = load_statement("merges/release_mentions", Nothing)


async def lock_around(transaction: Transaction, node_ids: Iterable[str]) -> None:
    """Lock nodes with their groups, and all their neighbours in one order with them, as writers do."""
    own = sorted(node_ids)
    await lock_origins(transaction, (await fetch_roots(transaction, own)).values())
    locked: set[str] = set()
    while True:
        rows = await transaction.run(_NEIGHBORS, node_ids=own)
        wanted = {*own, *(row.node_id for row in rows)}
        if wanted <= locked:
            return
        await lock_nodes(transaction, wanted)
        locked |= wanted


async def create_origins(transaction: Transaction, node_ids: Iterable[str]) -> None:
    """Keep apart what sources say of each of the nodes, which are locked."""
    wanted = sorted(node_ids)
    there = await fetch_roots(transaction, wanted)
    new = [node_id for node_id in wanted if node_id not in there]
    await transaction.run(_CREATE_ORIGINS, node_ids=new)
    await transaction.run(_LINK_NODE_MENTIONS, node_ids=new)
    await transaction.run(_LINK_EDGE_MENTIONS, node_ids=new)


async def regroup(transaction: Transaction, group: Sequence[Origin]) -> None:
    """Show the nodes of whole groups as their `parent`s say from now on. Nodes that stand alone leave no trace."""
    await lock_around(transaction, {origin.root for origin in group})
    roots = _roots(group)
    rows = [_root_row(origin, roots[origin.node_id]) for origin in group]
    for chunk in chunks(rows):
        await transaction.run(_SET_ROOTS, rows=chunk)
    await write_roots(transaction, roots.values())
    mentions = await transaction.run(_MENTIONS, node_ids=sorted(roots))
    affected = Affected({origin.root for origin in group}, {})
    await _move_node_mentions(transaction, mentions, roots)
    await _move_edge_mentions(transaction, mentions, roots, affected)
    names = await fetch_name_keys(transaction, {*roots, *affected.nodes})
    await settle(transaction, affected)
    await _release(transaction, group, mentions)
    await settle_links(transaction, names)


def _roots(group: Sequence[Origin]) -> dict[str, str]:
    parents = {origin.node_id: origin.parent for origin in group}
    roots: dict[str, str] = {}
    for node_id in parents:
        root = node_id
        while (parent := parents[root]) is not None:
            root = parent
        roots[node_id] = root
    return roots


def _root_row(origin: Origin, root: str) -> Row:
    return {"node_id": origin.node_id, "root": root, "parent": origin.parent, "merge_id": origin.merge_id}


async def _move_node_mentions(
    transaction: Transaction, mentions: Sequence[_OriginMention], roots: dict[str, str]
) -> None:
    rows: list[Row] = [
        {"mention_id": mention.mention_id, "node_id": roots[mention.origin_node]}
        for mention in mentions
        if mention.origin_node is not None and mention.node_id != roots[mention.origin_node]
    ]
    for chunk in chunks(rows):
        await transaction.run(_MOVE_NODE_MENTIONS, rows=chunk)


async def _move_edge_mentions(
    transaction: Transaction, mentions: Sequence[_OriginMention], roots: dict[str, str], affected: Affected
) -> None:
    """Move mentions of edges, write the edges that they state now, and note all edges that they stated or state."""
    rows: list[Row] = []
    edges: list[Edge] = []
    for mention in mentions:
        if mention.origin_edge is None:
            continue
        edge = mapped_edge(mention.stated_edge(), _ends(mention, roots))
        if edge.edge_id == mention.edge_id:
            continue
        affected.add_edges((mention.shown_edge(), EdgeRef(edge.edge_id, edge.source, edge.target)))
        edges.append(edge)
        rows.append(
            {"mention_id": mention.mention_id, "edge_id": edge.edge_id, "source": edge.source, "target": edge.target}
        )
    wanted = edge_rows(edges)
    ends = {end for edge in edges for end in (edge.source, edge.target)}
    await create_edges(transaction, wanted, await fetch_existing_edges(transaction, wanted, ends))
    for chunk in chunks(rows):
        await transaction.run(_MOVE_EDGE_MENTIONS, rows=chunk)


def _ends(mention: _OriginMention, roots: dict[str, str]) -> dict[str, str]:
    """What the ends are shown as; an end in a group that is not concerned stays what it is shown as."""
    pairs = ((mention.origin_source, mention.source), (mention.origin_target, mention.target))
    return {stated: roots.get(stated, shown) for stated, shown in pairs if stated and shown}


async def _release(transaction: Transaction, group: Sequence[Origin], mentions: Sequence[_OriginMention]) -> None:
    """Nodes that no merge concerns any longer are plain nodes again."""
    parents = {origin.parent for origin in group}
    alone = [origin.node_id for origin in group if origin.parent is None and origin.node_id not in parents]
    if not alone:
        return
    await transaction.run(_DELETE_ORIGINS, node_ids=alone)
    for chunk in chunks([mention.mention_id for mention in mentions]):
        await transaction.run(_RELEASE_MENTIONS, mention_ids=chunk)
