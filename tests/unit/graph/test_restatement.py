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


def text(document_id: str, name: str, kind: str, weight: int, *aliases: str) -> NodeStatement:
    return NodeStatement("radium", document_id, True, name, kind, "", list(aliases), weight)


def test_among_texts_most_mentions_decide_whatever_their_order() -> None:
    given = [
        text("a", "Radium", "product", 2),
        text("b", "radium", "substance", 3, "Ra"),
        text("c", "Radium", "entity", 2),
    ]
    outcomes = {node_of(order) for order in permutations(given)}

    [node] = outcomes
    assert (node.name, node.kind, node.aliases) == ("Radium", "substance", ("Ra", "radium"))


def test_ties_of_texts_go_by_the_alphabet() -> None:
    node = node_of([text("a", "radium", "substance", 1), text("b", "Radium", "product", 1)])

    assert (node.name, node.kind) == ("Radium", "product")


def test_a_caller_goes_before_texts_and_a_mere_end_after_them() -> None:
    said = text("a", "Radium", "product", 9)

    assert (node_of([said, SECOND]).name, node_of([said, SECOND]).kind) == ("radium", "substance")
    assert (node_of([said, WEAK]).name, node_of([said, WEAK]).kind) == ("Radium", "product")
