"""What merges make of edges' ids."""

from graph.identity import edge_id
from graph.model import Edge, NodeId
from graph.roots import mapped_edge

A, B, C, D = (NodeId(one) for one in "abcd")


def edge(source: NodeId, target: NodeId, segment: str = "") -> Edge:
    return Edge(edge_id(source, "wrote", target, segment=segment), source, target, "wrote")


def test_an_edge_of_nodes_that_are_not_merged_stays() -> None:
    assert mapped_edge(edge(A, B), {C: D, A: A}) == edge(A, B)


def test_facts_that_get_the_same_ends_become_one() -> None:
    assert mapped_edge(edge(A, C), {A: B, B: B}) == edge(B, C)
    assert mapped_edge(edge(C, A), {A: B, B: B}) == edge(C, B)
    assert mapped_edge(edge(A, C), {A: B, C: D}) == edge(B, D)


def test_an_edge_within_a_group_is_a_loop() -> None:
    assert mapped_edge(edge(A, B), {A: B, B: B}) == edge(B, B)


def test_a_fact_of_a_moment_stays_one_of_its_own() -> None:
    first, second = (mapped_edge(edge(A, C, segment), {A: B}) for segment in ("s#1", "s#2"))
    assert len({first.edge_id, second.edge_id, edge(B, C).edge_id}) == 3
    assert (first.source, first.target) == (B, C)
