"""What merges make of ids: a node that is merged away is shown as its root, and the facts about it as facts about that.

Every source keeps speaking of its own ids; roots are put in their place on the way into the graph, so that a merge
outlives each source and can be taken back exactly.
"""

from collections.abc import Mapping
from dataclasses import replace

from graph.identity import edge_id
from graph.model import Edge, EdgeId, NodeId

Roots = Mapping[str, str]
"""The root of each node that a merge concerns, itself for a root; nodes that are not there stand for themselves."""


def mapped_edge(edge: Edge, roots: Roots) -> Edge:
    """The edge between the roots of its ends.

    Facts of the same relation that get the same ends become one. A fact that is tied to a moment of a recording stays
    one of its own. An edge between two nodes of one group becomes a loop: no fact is lost.
    """
    source, target = roots.get(edge.source, edge.source), roots.get(edge.target, edge.target)
    if (source, target) == (edge.source, edge.target):
        return edge
    own = mapped_edge_id(edge, NodeId(source), NodeId(target))
    return replace(edge, edge_id=own, source=NodeId(source), target=NodeId(target))


def mapped_edge_id(edge: Edge, source: NodeId, target: NodeId) -> EdgeId:
    """The id that the edge has between other ends."""
    timeless = edge.edge_id == edge_id(edge.source, edge.relation, edge.target)
    return edge_id(source, edge.relation, target, segment="" if timeless else edge.edge_id)
