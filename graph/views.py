"""Database rows as the views that answers are made of."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from graph.answers import EdgeView, NodeView
from graph.database import Database
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


_FETCH_NODES = load_statement("nodes/fetch_nodes", NodeRow)
_FETCH_EDGES = load_statement("edges/fetch_edges", EdgeView)


async def fetch_node_views(database: Database, node_ids: Iterable[str]) -> dict[str, NodeView]:
    """The views of the given nodes by id, in one statement; ids that are not there are left out."""
    rows = await database.fetch(_FETCH_NODES, node_ids=sorted(set(node_ids)))
    return {row.node_id: row.view() for row in rows}


async def fetch_edge_views(database: Database, refs: Iterable[Mapping[str, Any]]) -> dict[str, EdgeView]:
    """The views of edges by id, in one statement. A ref has `edge_id`, `source` and `target`."""
    unique = {ref["edge_id"]: dict(ref) for ref in refs}
    rows = await database.fetch(_FETCH_EDGES, rows=[unique[edge_id] for edge_id in sorted(unique)])
    return {row.edge_id: row for row in rows}
