"""Nodes that a caller says are one, and the exact way back.

A merge says that nodes are shown as another from now on. Sources keep their own words: what they state of a merged
node, now or when they are read again, counts for the node that it is shown as, and taking the merge back gives each
fact to the node of which it was stated. Aliases and edges move; edges that become parallel fold into one with all
mentions; an edge between two nodes of a group becomes a loop and stays. The kind is that of the node merged into.
"""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Final

from graph.database import Database, Transaction
from graph.errors import Conflict, InvalidInput, NotFound
from graph.origins import Origin, fetch_origins, fetch_roots, write_stable
from graph.quotas import metered
from graph.references import get_references
from graph.regroup import create_origins, lock_around, regroup
from graph.statements import load_statement
from graph.views import NodeRow
from graph.vocabulary import DEFAULT_KIND

MAX_MERGED: Final = 1_000
"""Nodes of one merge."""


@dataclass(frozen=True, slots=True)
class MergeRecord:
    """A merge: the nodes `merged` (ids, sorted) are shown as `into` unless it was undone."""

    merge_id: str
    into: str
    merged: tuple[str, ...]
    at: datetime
    undone: bool


@dataclass(frozen=True, slots=True)
class _MergeRow:
    merge_id: str
    into: str
    merged: list[str]
    at_ms: int
    undone: bool

    def record(self) -> MergeRecord:
        at = datetime.fromtimestamp(self.at_ms / 1000, UTC)
        return MergeRecord(self.merge_id, self.into, tuple(self.merged), at, self.undone)


@dataclass(frozen=True, slots=True)
class _Active:
    active: int


_LOCK_STATE = load_statement("merges/lock_state", _Active)
_CREATE = load_statement("merges/create_merge", _MergeRow)
_FIND = load_statement("merges/find_merge", _MergeRow)
_UNDO = load_statement("merges/undo_merge", _MergeRow)
_FETCH_NODES = load_statement("nodes/fetch_nodes", NodeRow)


async def merge_nodes(database: Database, into: str, nodes: Sequence[str]) -> MergeRecord:
    """Make `nodes` one with `into`; all are ids or names.

    `into` may be a node that is merged away: the one that it is shown as is meant. The same merge again gives the
    record of the first. Raises NotFound, AmbiguousName, InvalidInput for no node beside `into`, and Conflict for a node
    that is merged already and for nodes of two kinds other than `entity`.
    """
    if not 0 < len(nodes) <= MAX_MERGED:
        raise InvalidInput(f"{len(nodes)} nodes to merge: give 1 to {MAX_MERGED:,}.")

    async def work(transaction: Transaction) -> MergeRecord:
        await transaction.run(_LOCK_STATE, change=1)
        references = await get_references(transaction, (into, *nodes))
        given = {ref: reference.node_id for ref, reference in references.items()}
        roots = await fetch_roots(transaction, given.values())
        target = roots.get(given[into], given[into])
        merged = sorted({given[ref] for ref in nodes} - {target})
        if not merged:
            raise InvalidInput(f"There is nothing to merge: all nodes given are {target!r} itself.")
        away = [node_id for node_id in merged if roots.get(node_id, node_id) != node_id]
        if away:
            return await _find_same(transaction, target, merged, away[0], roots[away[0]])
        return await _merge(transaction, target, merged)

    try:
        return await write_stable(database, work)
    except _Repeated as repeated:
        return repeated.record


async def undo_merge(database: Database, merge_id: str) -> MergeRecord:
    """Take a merge back, whichever came after it; its record, undone. One that was undone before stays as it is.

    Raises NotFound for an unknown id, LimitExceeded where the tenant may not hold the nodes that come back.
    """

    async def work(transaction: Transaction) -> MergeRecord:
        await transaction.run(_LOCK_STATE, change=-1)
        record = await _get_merge(transaction, merge_id)
        if record.undone:
            raise _Repeated(record)
        roots = await fetch_roots(transaction, record.merged)
        group = [_freed(origin, merge_id) for origin in await fetch_origins(transaction, roots.values())]
        async with metered(transaction):  # nodes come back
            await regroup(transaction, group)
        [row] = await transaction.run(_UNDO, merge_id=merge_id)
        return row.record()

    try:
        return await write_stable(database, work)
    except _Repeated as repeated:
        return repeated.record


async def find_merge(database: Database, merge_id: str) -> MergeRecord | None:
    """A merge by its id, or None."""
    row = await database.find(_FIND, merge_id=merge_id)
    return row.record() if row else None


class _Repeated(Exception):
    """There is nothing to do: the transaction is dropped, with its mark that merges have changed."""

    def __init__(self, record: MergeRecord) -> None:
        super().__init__(record.merge_id)
        self.record = record


async def _get_merge(transaction: Transaction, merge_id: str) -> MergeRecord:
    rows = await transaction.run(_FIND, merge_id=merge_id)
    if not rows:
        raise NotFound(f"There is no merge {merge_id[:200]!r}: its id is in the answer of the merge.")
    return rows[0].record()


async def _merge(transaction: Transaction, target: str, merged: Sequence[str]) -> MergeRecord:
    await lock_around(transaction, (target, *merged))
    await _check_kinds(transaction, target, merged)
    await create_origins(transaction, {target, *merged})
    merge_id = uuid.uuid4().hex[:16]
    group = await fetch_origins(transaction, (target, *merged))
    joined = set(merged)
    await regroup(
        transaction,
        [replace(origin, parent=target, merge_id=merge_id) if origin.node_id in joined else origin for origin in group],
    )
    [row] = await transaction.run(_CREATE, merge_id=merge_id, into=target, merged=list(merged))
    return row.record()


async def _check_kinds(transaction: Transaction, target: str, merged: Sequence[str]) -> None:
    rows = await transaction.run(_FETCH_NODES, node_ids=sorted({target, *merged}))
    gone = {target, *merged}.difference(row.node_id for row in rows)
    if gone:
        raise NotFound(f"Node {min(gone)!r} is not in the graph at present: nothing was merged.")
    kinds = sorted({row.kind for row in rows} - {DEFAULT_KIND})
    if len(kinds) > 1:
        raise Conflict(
            f"A {kinds[0]} and a {kinds[1]} can't be one node: merge nodes of one kind, or of kind {DEFAULT_KIND!r}."
        )


async def _find_same(transaction: Transaction, target: str, merged: Sequence[str], away: str, root: str) -> MergeRecord:
    """The record of the very merge that is asked for again. Raises Conflict when there is none."""
    group = {origin.node_id: origin for origin in await fetch_origins(transaction, [root])}
    merge_id = group[away].merge_id
    record = await _get_merge(transaction, merge_id) if merge_id else None
    if record and (record.into, record.merged) == (target, tuple(merged)):
        raise _Repeated(record)
    raise Conflict(f"{away!r} is merged into {root!r} already: merge that one, or undo merge {merge_id} first.")


def _freed(origin: Origin, merge_id: str) -> Origin:
    return replace(origin, parent=None, merge_id=None) if origin.merge_id == merge_id else origin
