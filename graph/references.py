"""From the names and ids that a caller writes down to nodes, many at once and within the transaction that uses them."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from graph.answers import NodeView
from graph.database import Transaction
from graph.errors import AmbiguousName, NotFound
from graph.identity import entity_id, name_key
from graph.lookup import MAX_CANDIDATES, best_first, candidate, ends_with, last_part
from graph.statements import load_statement
from graph.steps import chunks
from graph.views import NodeRow


@dataclass(frozen=True, slots=True)
class Reference:
    """The node that is meant, under the id that its sources use, and its name."""

    node_id: str
    name: str


@dataclass(frozen=True, slots=True)
class _OriginName:
    node_id: str
    root: str
    name: str | None


_FETCH_NODES = load_statement("nodes/fetch_nodes", NodeRow)
_FETCH_ORIGINS = load_statement("merges/fetch_named_origins", _OriginName)
_BY_NAMES = load_statement("nodes/fetch_nodes_by_names", NodeRow)
_ORIGINS_BY_NAMES = load_statement("merges/fetch_origins_by_names", _OriginName)


async def get_references(transaction: Transaction, refs: Iterable[str]) -> dict[str, Reference]:
    """The node of each ref. Raises NotFound for the first, in the order of the alphabet, that means none."""
    wanted = set(refs)
    found = await find_references(transaction, wanted)
    missing = wanted.difference(found)
    if missing:
        raise NotFound(f"No node is called {min(missing)[:200]!r}: look for it with `cogniverse graph search`.")
    return found


async def find_references(transaction: Transaction, refs: Iterable[str]) -> dict[str, Reference]:
    """The node that each ref means: an id, the name of an entity, any node's name, the end of an id, in this order.

    A node that is merged away is itself here. Refs that mean nothing are left out; raises AmbiguousName.
    """
    wanted = set(refs)
    found = await _by_ids(transaction, wanted)
    found |= await _by_names(transaction, {ref: ref for ref in wanted.difference(found)})
    ends = {ref: last_part(ref) for ref in wanted.difference(found)}
    return found | await _by_names(transaction, {ref: last for ref, last in ends.items() if last != ref})


async def _by_ids(transaction: Transaction, refs: Iterable[str]) -> dict[str, Reference]:
    ids = {ref: (ref, str(entity_id(ref))) for ref in refs}
    there: dict[str, str] = {}
    for chunk in chunks(sorted({node_id for pair in ids.values() for node_id in pair})):
        there |= {row.node_id: row.name or row.node_id for row in await transaction.run(_FETCH_ORIGINS, node_ids=chunk)}
        there |= {row.node_id: row.name for row in await transaction.run(_FETCH_NODES, node_ids=chunk)}
    meant = {ref: next((one for one in pair if one in there), None) for ref, pair in ids.items()}
    return {ref: Reference(node_id, there[node_id]) for ref, node_id in meant.items() if node_id is not None}


async def _by_names(transaction: Transaction, refs: Mapping[str, str]) -> dict[str, Reference]:
    """By the name that goes with each ref; where that is only its last part, the id must end as the ref does."""
    keys = {ref: name_key(name) for ref, name in refs.items()}
    nodes: dict[str, list[NodeView]] = {}
    origins: dict[str, list[_OriginName]] = {}
    for chunk in chunks(sorted({key for key in keys.values() if key})):
        for row in await transaction.run(_BY_NAMES, name_keys=chunk, limit=MAX_CANDIDATES):
            nodes.setdefault(name_key(row.name), []).append(row.view())
        for row in await transaction.run(_ORIGINS_BY_NAMES, name_keys=chunk):
            origins.setdefault(name_key(row.name or ""), []).append(row)
    found: dict[str, Reference] = {}
    for ref, key in keys.items():
        whole = refs[ref] == ref
        views = [view for view in nodes.get(key, []) if whole or ends_with(view.node_id, ref)]
        merged = [one for one in origins.get(key, []) if whole or ends_with(one.node_id, ref)]
        meant = _choose(ref, views, merged)
        if meant is not None:
            found[ref] = meant
    return found


def _choose(ref: str, views: Sequence[NodeView], merged: Sequence[_OriginName]) -> Reference | None:
    """The one node meant, a merged one as itself where it, and not the node that it is shown as, bears the name."""
    roots = {view.node_id for view in views} | {one.root for one in merged}
    if len(roots) > 1:
        raise AmbiguousName(ref, [candidate(view) for view in best_first(ref, views)])
    own = next((one for one in merged if one.node_id == one.root), merged[0] if merged else None)
    if own is not None:
        return Reference(own.node_id, own.name or own.node_id)
    return Reference(views[0].node_id, views[0].name) if views else None
