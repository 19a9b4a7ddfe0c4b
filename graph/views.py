"""Database rows as the views that answers are made of."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from graph.answers import EdgeView, NodeView
from graph.database import Database
from graph.items import Item, make_nodes
from graph.statements import load_statement


@dataclass(frozen=True, slots=True)
class NodeRow:
    """A node as statements return it."""

    node_id: str
    name: str
    kind: str
    description: str
    aliases: list[str]
    path: str | None
    line_start: int | None
    line_end: int | None
    signature: str | None

    def view(self) -> NodeView:
        """The node as shown."""
        return NodeView(
            node_id=self.node_id,
            name=self.name,
            kind=self.kind,
            description=self.description,
            aliases=tuple(sorted(self.aliases)),
            path=self.path,
            line_start=self.line_start,
            line_end=self.line_end,
            signature=self.signature,
        )


@dataclass(frozen=True, slots=True)
class _NodesRow:
    nodes: list[Item]


@dataclass(frozen=True, slots=True)
class _EdgesRow:
    edges: list[dict[str, Any]]


_FETCH_NODES = load_statement("support/fetch_nodes", _NodesRow)
_FETCH_EDGES = load_statement("edges/fetch_edges", _EdgesRow)


async def fetch_node_views(database: Database, node_ids: Iterable[str]) -> dict[str, NodeView]:
    """The views of the given nodes by id, in one statement; ids that are not there are left out."""
    (row,) = await database.fetch(_FETCH_NODES, node_ids=sorted(set(node_ids)))
    return make_nodes(row.nodes)


async def fetch_edge_views(database: Database, refs: Iterable[Mapping[str, Any]]) -> dict[str, EdgeView]:
    """The views of edges by id, in one statement. A ref has `edge_id`, `source` and `target`."""
    unique = {ref["edge_id"]: dict(ref) for ref in refs}
    (row,) = await database.fetch(_FETCH_EDGES, rows=[unique[edge_id] for edge_id in sorted(unique)])
    return {edge["edge_id"]: EdgeView(**edge) for edge in row.edges}
