"""Checks and normal forms of what callers state."""

import pytest

from graph.errors import InvalidInput
from graph.stated import EdgeAssertion, NodeAssertion, check_document_id, check_statements


def test_statements_take_the_vocabularys_terms() -> None:
    nodes, edges = check_statements(
        [NodeAssertion(" Ada ", " Person")],
        [EdgeAssertion("Notes", "Ada", "Written by"), EdgeAssertion("A", "B", "preceded")],
    )

    assert nodes == [NodeAssertion("Ada", "person")]
    assert [(edge.source, edge.relation, edge.target) for edge in edges] == [
        ("Ada", "wrote", "Notes"),
        ("B", "preceded_by", "A"),
    ]


def test_the_item_at_fault_is_named() -> None:
    with pytest.raises(InvalidInput, match=r"Edge 2: the confidence is 2"):
        check_statements([], [EdgeAssertion("a", "b", "wrote"), EdgeAssertion("a", "b", "wrote", confidence=2)])


def test_unknown_relations_name_near_ones() -> None:
    with pytest.raises(InvalidInput, match="invented"):
        check_statements([], [EdgeAssertion("a", "b", "inventd")])


@pytest.mark.parametrize("document_id", ["notes", "a b/c#1", "東京"])
def test_any_visible_document_id_will_do(document_id: str) -> None:
    check_document_id(document_id)
