"""One node of several statements."""

from itertools import permutations

from graph.restatement import NodeStatement, node_of

WEAK = NodeStatement("radium", "a", False, "RADIUM", "entity", "", [])
FIRST = NodeStatement("radium", "b", True, "Radium", "entity", "", ["Ra"])
SECOND = NodeStatement("radium", "c", True, "radium", "substance", "An element.", [])
THIRD = NodeStatement("radium", "d", True, "Radium", "concept", "Glows.", [])


def test_the_order_of_statements_does_not_matter() -> None:
    outcomes = {node_of(order) for order in permutations([WEAK, FIRST, SECOND, THIRD])}

    [node] = outcomes
    assert (node.name, node.kind, node.description) == ("Radium", "substance", "An element.")
    assert node.aliases == ("RADIUM", "Ra", "radium")


def test_a_mere_end_of_an_edge_gives_an_entity() -> None:
    node = node_of([WEAK])

    assert (node.name, node.kind, node.aliases) == ("RADIUM", "entity", ())
