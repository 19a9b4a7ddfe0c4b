"""Communities on graphs where everyone can see them."""

import itertools

import pytest

from graph.communities import Communities, compute_communities
from graph.database import Database
from graph.errors import InvalidInput
from graph.model import DocumentId
from graph.store import delete_documents, upsert_documents
from tests.builders import document
from tests.raw import Cypher


def clique(prefix: str, size: int) -> list[tuple[str, str, str]]:
    members = [f"{prefix}{number}" for number in range(size)]
    return [(one, "references", other) for one, other in itertools.combinations(members, 2)]


TWO = [*clique("a", 5), *clique("b", 4), ("a0", "references", "b0")]


def sets(communities: Communities) -> set[frozenset[str]]:
    return {frozenset(view.members) for view in communities.page(100).items}


async def test_two_cliques_are_two_communities(database: Database) -> None:
    await upsert_documents(database, [document("d", *TWO, ("self", "references", "self"), alone=("hermit",))])

    found = await compute_communities(database)

    assert sets(found) == {frozenset(f"a{n}" for n in range(5)), frozenset(f"b{n}" for n in range(4))}
    large, small = found.page(10).items
    assert (large.label, large.size, large.top_nodes[0]) == ("a0", 5, ("a0", 5.0))
    assert [node_id for node_id, _ in large.top_nodes] == ["a0", "a1", "a2", "a3", "a4"]
    assert large.members == ("a0", "a1", "a2", "a3", "a4")
    assert found.find_of("b3") == small.community_id
    assert found.get(small.community_id) == small
    assert found.find_of("hermit") is None
    assert found.find_of("self") is None
    assert found.find_of("nobody") is None
    assert found.get("nothing") is None


async def test_the_same_graph_has_the_same_communities_however_it_was_written(
    database: Database, cypher: Cypher
) -> None:
    facts = [*TWO, *clique("c", 3), ("c0", "references", "a1"), ("c0", "references", "b1")]
    for number, fact in enumerate(facts):
        await upsert_documents(database, [document(f"{number}", fact)])
    forwards = await compute_communities(database)
    assert (await compute_communities(database)).page(10) == forwards.page(10)
    await cypher.clear()
    for number, fact in enumerate(reversed(facts)):
        await upsert_documents(database, [document(f"{number}", fact)])
    backwards = await compute_communities(database)

    assert forwards.page(10) == backwards.page(10)
    assert forwards.count == 3


async def test_an_id_changes_with_its_members_alone(database: Database) -> None:
    await upsert_documents(database, [document("d", *TWO), document("e", ("b0", "references", "new"))])
    before = await compute_communities(database)
    await delete_documents(database, [DocumentId("e")])
    after = await compute_communities(database)

    assert before.find_of("a0") == after.find_of("a0")
    assert before.find_of("b0") != after.find_of("b0")


async def test_pages_go_from_the_largest_to_the_smallest(database: Database) -> None:
    facts = [fact for number in range(7) for fact in clique(f"c{number}_", 3 + number // 3)]
    await upsert_documents(database, [document("d", *facts)])
    found = await compute_communities(database)

    pages = [found.page(3)]
    while pages[-1].has_next:
        pages.append(found.page(3, pages[-1].keys[-1]))

    assert [len(page.items) for page in pages] == [3, 3, 1]
    assert [view.size for page in pages for view in page.items] == [5, 4, 4, 4, 3, 3, 3]
    assert len({view.community_id for page in pages for view in page.items}) == found.count == 7
    assert [page.has_next for page in pages] == [True, True, False]


@pytest.mark.parametrize("key", [("x",), ("x", "y"), (1, 2), (), (1, "a", "b")])
async def test_a_key_of_another_list_is_refused(key: tuple[str | int, ...]) -> None:
    with pytest.raises(InvalidInput):
        Communities([]).page(1, key)


async def test_an_empty_graph_has_none_and_nothing_is_left_behind(database: Database, cypher: Cypher) -> None:
    found = await compute_communities(database)

    assert (found.count, found.page(5).items, found.page(5).has_next) == (0, (), False)
    assert await cypher("CALL gds.graph.list() YIELD graphName RETURN graphName") == []
