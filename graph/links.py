"""From a name in a text to the one code symbol that is called so: `references`, inferred, with how sure that is.

Links follow from what is in the graph and from nothing else. They support nothing: a node that only they hold goes.
Every write that changes names settles the links of those names in its own transaction, so that what is linked never
depends on the order in which things came.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from graph.database import Transaction
from graph.identity import edge_id
from graph.model import NodeId, Provenance
from graph.rows import Row
from graph.statements import Nothing, load_statement
from graph.steps import chunks, create_edges
from graph.vocabulary import CODE_KINDS, ENTITY_KINDS, relation_type

_RELATION: Final = "references"
_BY_NAME: Final = "name"
# A name that no plain word looks like: inner capitals, digits, or marks that only code has.
_CODE_LIKE: Final = re.compile(r"[a-z][A-Z]|[A-Z]{2,}[a-z]|\w_\w|\w\.\w|\d|::|\(\)")
_SURE: Final = 0.95
_SAME_WORD: Final = 0.7
_OTHER_SPELLING: Final = 0.5


@dataclass(frozen=True, slots=True)
class _Key:
    name_key: str


@dataclass(frozen=True, slots=True)
class _Names:
    """For each name the things that texts call so, with the links that they have, and the code symbols."""

    names: list[dict[str, Any]]


_Named = Mapping[str, Any]


_NAME_KEYS = load_statement("links/fetch_name_keys", _Key)
_NAMED = load_statement("links/fetch_name_links", _Names)
_DELETE = load_statement("links/delete_links", Nothing)


async def fetch_name_keys(transaction: Transaction, node_ids: Iterable[str]) -> set[str]:
    """The names of those of the nodes that are there."""
    keys: set[str] = set()
    for chunk in chunks(sorted(node_ids)):
        keys.update(row.name_key for row in await transaction.run(_NAME_KEYS, node_ids=chunk))
    return keys


async def settle_links(transaction: Transaction, name_keys: Iterable[str]) -> None:
    """Bring the links of these names in line with the nodes that there are."""
    for chunk in chunks(sorted(set(name_keys) - {""})):
        [row] = await transaction.run(_NAMED, name_keys=chunk, entity_kinds=ENTITY_KINDS, code_kinds=CODE_KINDS)
        gone = [link for named in row.names for link in _stale(named)]
        if gone:
            await transaction.run(_DELETE, rows=gone)
        await create_edges(transaction, [edge for named in row.names for edge in _missing(named)], ())


def score_link(names: Sequence[str], symbol: str) -> float:
    """How sure it is that a text which uses one of `names` means the symbol of the same name."""
    if symbol not in names:
        return _OTHER_SPELLING
    return _SURE if _CODE_LIKE.search(symbol) else _SAME_WORD


def _wanted(named: _Named, entity: Mapping[str, Any]) -> tuple[str, float] | None:
    """Where the entity links to, and how surely: to a symbol that shares its name with no other."""
    if len(named["symbols"]) != 1:
        return None
    [symbol] = named["symbols"]
    return symbol["node_id"], score_link(entity["names"], symbol["name"])


def _stale(named: _Named) -> Iterator[Row]:
    for entity in named["entities"]:
        wanted = _wanted(named, entity)
        for link in entity["links"]:
            if link["derived"] and (link["target"], link["confidence"]) != wanted:
                yield {"source": entity["node_id"], "target": link["target"], "edge_id": link["edge_id"]}


def _missing(named: _Named) -> Iterator[Row]:
    for entity in named["entities"]:
        wanted = _wanted(named, entity)
        if wanted is None:
            continue
        target, confidence = wanted
        if any(
            link["target"] == target and (not link["derived"] or link["confidence"] == confidence)
            for link in entity["links"]
        ):
            continue
        source = entity["node_id"]
        own = edge_id(NodeId(source), _RELATION, NodeId(target))
        yield {
            "edge_id": own,
            "source": source,
            "target": target,
            "type": relation_type(_RELATION),
            "properties": {
                "edge_id": own,
                "relation": _RELATION,
                "provenance": Provenance.INFERRED.value,
                "confidence": confidence,
                "derived": _BY_NAME,
            },
        }
