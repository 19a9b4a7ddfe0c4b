"""Writes in a graph with merges: what sources say goes to the nodes that theirs are shown as, and is kept apart.

For each node that a merge concerns an `Origin` holds what sources say of it by itself; the node that is shown, the
root, is made from all origins of its group. Mentions are tied to the origins that they speak of. Where nothing is
merged all of this costs two small reads a transaction.
"""

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Any, Final, TypeVar

from graph.database import Database, Transaction
from graph.errors import Conflict
from graph.folders import ASSERTED_FOLDER
from graph.model import Node
from graph.roots import Roots
from graph.rows import NO_ROOTS, Row, node_rows
from graph.statements import Nothing, load_statement
from graph.steps import NodeRef, chunks
from graph.terms import index_terms
from graph.vocabulary import KIND_LABELS, kind_label

_Result = TypeVar("_Result")
_ATTEMPTS: Final = 10
_KEPT_OF_ORIGINS: Final = ("root", "parent", "merge_id")


@dataclass(frozen=True, slots=True)
class WriteState:
    """What a write leans on: the number of the last change to merges, how many are active, whether nodes are stated."""

    epoch: int
    active: int
    stated: bool


@dataclass(frozen=True, slots=True)
class _Root:
    node_id: str
    root: str


@dataclass(frozen=True, slots=True)
class Origin:
    """What is kept of a node that a merge concerns.

    `parent` is the node that merge `merge_id` made it part of, None for a root. `properties` are a node's; without a
    kind no source speaks of it at present.
    """

    node_id: str
    root: str
    parent: str | None
    merge_id: str | None
    properties: Mapping[str, Any]


class _StateChanged(Exception):
    """A merge came in between: what was read of merges no longer holds."""


_STATE = load_statement("merges/get_state", WriteState)
_ROOTS = load_statement("merges/fetch_roots", _Root)
_MENTIONED = load_statement("merges/fetch_mentioned_origins", _Root)
_LOCK = load_statement("merges/lock_origins", NodeRef)
_FETCH = load_statement("merges/fetch_origins", Origin)
_UPSERT = load_statement("merges/upsert_origins", Nothing)
_ENSURE = load_statement("merges/ensure_origins", Nothing)
_CLEAR = load_statement("merges/clear_origins", Nothing)
_WRITE_ROOTS = load_statement("merges/write_roots", Nothing)


async def write_stable(database: Database, work: Callable[[Transaction], Awaitable[_Result]]) -> _Result:
    """Run `work` in one transaction, again when merges have changed under it."""
    for _ in range(_ATTEMPTS):
        try:
            return await database.write(work)
        except _StateChanged:
            continue
    raise Conflict("Nodes kept being merged under this write: try it again.")


async def get_write_state(transaction: Transaction) -> WriteState:
    """What to know before a write."""
    [state] = await transaction.run(_STATE, folder_id=ASSERTED_FOLDER)
    return state


async def check_write_state(transaction: Transaction, state: WriteState) -> None:
    """Start again unless the state is what it was. Whoever holds his locks by now is safe from later changes."""
    if await get_write_state(transaction) != state:
        raise _StateChanged


async def lock_groups(
    transaction: Transaction, state: WriteState, *, node_ids: AbstractSet[str], document_ids: Sequence[str]
) -> Roots:
    """The roots of those of the nodes, and of what the documents speak of, that are merged; their groups are locked."""
    if not state.active:
        return NO_ROOTS
    roots = await fetch_roots(transaction, node_ids)
    if document_ids:
        rows = await transaction.run(_MENTIONED, document_ids=list(document_ids))
        roots |= {row.node_id: row.root for row in rows}
    await lock_origins(transaction, roots.values())
    return roots


async def fetch_roots(transaction: Transaction, node_ids: Iterable[str]) -> dict[str, str]:
    """The root of each of the nodes that a merge concerns."""
    roots: dict[str, str] = {}
    for chunk in chunks(sorted(node_ids)):
        roots |= {row.node_id: row.root for row in await transaction.run(_ROOTS, node_ids=chunk)}
    return roots


async def lock_origins(transaction: Transaction, roots: Iterable[str]) -> None:
    """Lock groups, in the order of their roots."""
    for chunk in chunks(sorted(set(roots))):
        await transaction.run(_LOCK, node_ids=chunk)


async def write_origins(transaction: Transaction, declared: Iterable[Node], referred: Iterable[Node]) -> None:
    """Write what sources say of merged nodes, by the rules of other nodes: a declaration decides."""
    for rows in chunks(node_rows(declared)):
        await transaction.run(_UPSERT, rows=rows)
    for rows in chunks(node_rows(referred)):
        await transaction.run(_ENSURE, rows=rows)


async def clear_origins(transaction: Transaction, node_ids: Iterable[str]) -> None:
    """Forget what no mention says any longer of merged nodes."""
    for chunk in chunks(sorted(node_ids)):
        await transaction.run(_CLEAR, node_ids=chunk)


async def fetch_origins(transaction: Transaction, roots: Iterable[str]) -> list[Origin]:
    """All nodes of the groups with these roots, by id."""
    return await transaction.run(_FETCH, roots=sorted(set(roots)))


async def write_roots(transaction: Transaction, roots: Iterable[str]) -> None:
    """Make the nodes that are shown from the origins of their groups."""
    groups: dict[str, list[Origin]] = {}
    for origin in await fetch_origins(transaction, roots):
        if "kind" in origin.properties:
            groups.setdefault(origin.root, []).append(origin)
    rows = [_root_row(root, groups[root]) for root in sorted(groups)]
    for chunk in chunks(rows):
        await transaction.run(_WRITE_ROOTS, rows=chunk, kind_labels=KIND_LABELS)


def _root_row(root: str, group: Sequence[Origin]) -> Row:
    """The node that is shown: the root's properties, or the first other's while no source speaks of the root itself.

    The names and aliases of all others become aliases.
    """
    base = next((origin for origin in group if origin.node_id == root), group[0])
    properties = {key: value for key, value in base.properties.items() if key not in _KEPT_OF_ORIGINS}
    properties["node_id"] = root
    others = [origin for origin in group if origin is not base]
    if others:
        known = {name for origin in group for name in (origin.properties["name"], *origin.properties["aliases"])}
        aliases = sorted(known - {properties["name"]})
        properties |= {"aliases": aliases, "name_terms": index_terms(" ".join((properties["name"], *aliases)))}
    return {"node_id": root, "label": kind_label(properties["kind"]), "properties": properties}
