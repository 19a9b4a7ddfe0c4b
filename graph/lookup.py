"""From what people type to the one node that they mean."""

from collections.abc import Iterable
from typing import Final

from graph.answers import NodeView
from graph.database import Database
from graph.errors import AmbiguousName, Candidate, InvalidInput, NotFound
from graph.identity import name_key
from graph.statements import load_statement
from graph.views import NodeRow

MAX_CANDIDATES: Final = 100
_MAX_REF_CHARS: Final = 2_000
_KIND_ORDER: Final = ("class", "function", "method", "module", "package")

_FIND_NODE = load_statement("nodes/find_node", NodeRow)
_FETCH_BY_NAME = load_statement("nodes/fetch_nodes_by_name", NodeRow)


async def get_node(database: Database, ref: str) -> NodeView:
    """The node that `ref` means: an id, the end of one (`Mailer.send`, `util.py::run`), or a name, in this order.

    Names are compared without case and spacing. Raises NotFound, or AmbiguousName with the candidates, those of the
    same spelling first, then by kind: never a guess.
    """
    if not ref.strip():
        raise InvalidInput("The name of a node is blank: give a name or an id.")
    if len(ref) > _MAX_REF_CHARS:
        raise InvalidInput(f"The name of a node has {len(ref):,} characters; {_MAX_REF_CHARS:,} is the most.")
    row = await database.find(_FIND_NODE, node_id=ref)
    if row is not None:
        return row.view()
    found = await _fetch_candidates(database, ref)
    if not found:
        raise NotFound(f"No node is called {ref!r}: look for it with `cogniverse graph search`.")
    if len(found) > 1:
        raise AmbiguousName(ref, [candidate(view) for view in found])
    return found[0]


async def fetch_named_nodes(database: Database, name: str, *, limit: int = MAX_CANDIDATES) -> list[NodeView]:
    """The nodes of that name, case and spacing aside: same spelling first, then best kind; empty when none."""
    key = name_key(name)
    if not key:
        return []
    rows = await database.fetch(_FETCH_BY_NAME, name_key=key, limit=limit)
    return best_first(name, [row.view() for row in rows])


def best_first(name: str, views: Iterable[NodeView]) -> list[NodeView]:
    """Nodes that bear a name: those of the same spelling first, then by kind and id."""
    return sorted(views, key=lambda view: (view.name != name, *_preference(view)))


async def _fetch_candidates(database: Database, ref: str) -> list[NodeView]:
    named = await fetch_named_nodes(database, ref)
    if named:
        return named
    last = last_part(ref)
    if last == ref:
        return []
    return [view for view in await fetch_named_nodes(database, last) if ends_with(view.node_id, ref)]


def last_part(ref: str) -> str:
    """The bare name at the end of an id: `send` of `mail.py::Mailer.send`."""
    return ref.rpartition("::")[2].rpartition(".")[2].rpartition("/")[2]


def ends_with(node_id: str, ref: str) -> bool:
    """Whether `ref` is the end of the id, from one of its joints on."""
    folded, end = node_id.casefold(), ref.casefold()
    return any(folded.endswith(f"{boundary}{end}") for boundary in ("::", "/", "."))


def _preference(view: NodeView) -> tuple[int, str]:
    rank = _KIND_ORDER.index(view.kind) if view.kind in _KIND_ORDER else len(_KIND_ORDER)
    return rank, view.node_id


def candidate(view: NodeView) -> Candidate:
    """The node as one of several that may be meant."""
    return Candidate(view.node_id, view.name, view.kind, view.path, view.line_start)
