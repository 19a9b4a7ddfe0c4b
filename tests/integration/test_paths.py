"""Neighbours, paths and hubs on graphs that hurt: a hub, a clique, loops, ties, nothing at all."""

import itertools
import time

import pytest

from graph.analytics import fetch_hubs
from graph.answers import Direction, NoPath, Path
from graph.database import Database
from graph.errors import InvalidInput, NotFound
from graph.lookup import get_node
from graph.neighbors import fetch_neighbors
from graph.paths import find_path
from graph.store import upsert_documents
from tests.builders import document

LEAVES = 5_000
HUB = [("hub", "contains", f"leaf {number:04}") for number in range(LEAVES)]
CLIQUE = [(f"c{a:02}", "followed_by", f"c{b:02}") for a, b in itertools.permutations(range(50), 2)]
CHAIN = [(f"n{number}", "followed_by", f"n{number + 1}") for number in range(9)]
DIAMOND = [
    ("top", "contains", "left"),
    ("top", "contains", "right"),
    ("left", "contains", "end"),
    ("right", "contains", "end"),
]
LOOP = [("loop", "followed_by", "loop"), ("loop", "contains", "inside")]
# A bound for a busy machine; on a quiet one each takes well under a tenth of it.
SOON_S = 20.0


@pytest.fixture(scope="module")
async def shapes(connected: Database, cypher) -> Database:
    await cypher.clear()
    await upsert_documents(
        connected,
        [
            document("hub.txt", *HUB),
            document("clique.txt", *CLIQUE),
            document("chain.txt", *CHAIN),
            document("diamond.txt", *DIAMOND),
            document("loop.txt", *LOOP),
            document("alone.txt", alone=("island",)),
        ],
    )
    return connected


def names(neighbors) -> list[str]:
    return [neighbor.node.name for neighbor in neighbors]


async def test_a_hub_answers_with_the_first_of_its_leaves(shapes: Database) -> None:
    began = time.monotonic()
    around = await fetch_neighbors(shapes, "hub", limit=100)

    assert names(around.outgoing) == [f"leaf {number:04}" for number in range(100)]
    assert (around.incoming, around.truncated) == ((), True)
    assert time.monotonic() - began < SOON_S


async def test_a_clique_at_depth_ten_is_walked_once(shapes: Database) -> None:
    began = time.monotonic()
    around = await fetch_neighbors(shapes, "c00", depth=10)

    assert names(around.outgoing) == [f"c{number:02}" for number in range(1, 50)]
    assert names(around.incoming) == names(around.outgoing)
    assert {neighbor.distance for neighbor in around.outgoing} == {1}
    assert not around.truncated
    assert time.monotonic() - began < SOON_S


async def test_depth_counts_edges_and_direction_is_kept(shapes: Database) -> None:
    around = await fetch_neighbors(shapes, "n3", depth=2)

    assert [(n.node.name, n.distance) for n in around.outgoing] == [("n4", 1), ("n5", 2)]
    assert [(n.node.name, n.distance) for n in around.incoming] == [("n2", 1), ("n1", 2)]
    only_in = await fetch_neighbors(shapes, "n3", direction=Direction.INCOMING)
    assert (names(only_in.incoming), only_in.outgoing) == (["n2"], ())


async def test_edges_tell_their_place(shapes: Database) -> None:
    around = await fetch_neighbors(shapes, "n3", direction=Direction.OUTGOING)

    edge = around.outgoing[0].edge
    assert (edge.path, edge.line, edge.evidence_span, edge.mentions) == ("chain.txt", 4, "n3 followed_by n4", 1)
    assert (edge.provenance, edge.confidence) == ("EXTRACTED", 1.0)


async def test_a_self_loop_is_shown_once_each_way(shapes: Database) -> None:
    around = await fetch_neighbors(shapes, "loop", depth=5)

    assert names(around.outgoing) == ["inside", "loop"]
    assert names(around.incoming) == ["loop"]


async def test_relations_choose(shapes: Database) -> None:
    around = await fetch_neighbors(shapes, "loop", relations=["contains"])

    assert names(around.outgoing) == ["inside"]
    with pytest.raises(InvalidInput, match=r"Unknown relation 'contain'.*contains"):
        await fetch_neighbors(shapes, "loop", relations=["contain"])


@pytest.mark.parametrize(("depth", "limit"), [(0, 10), (11, 10), (1, 0), (1, 1_001)])
async def test_neighbors_are_bounded(shapes: Database, depth: int, limit: int) -> None:
    with pytest.raises(InvalidInput):
        await fetch_neighbors(shapes, "hub", depth=depth, limit=limit)


async def test_the_shortest_path_has_its_edges(shapes: Database) -> None:
    path = await find_path(shapes, "n0", "n4")

    assert isinstance(path, Path)
    assert [node.name for node in path.nodes] == ["n0", "n1", "n2", "n3", "n4"]
    assert [(edge.source, edge.target) for edge in path.edges] == [
        ("n0", "n1"),
        ("n1", "n2"),
        ("n2", "n3"),
        ("n3", "n4"),
    ]


async def test_of_two_equal_paths_the_same_one_is_chosen(shapes: Database) -> None:
    paths = [await find_path(shapes, "top", "end") for _ in range(5)]

    assert {tuple(node.name for node in path.nodes) for path in paths if isinstance(path, Path)} == {
        ("top", "left", "end")
    }


async def test_a_clique_has_a_path_of_one(shapes: Database) -> None:
    began = time.monotonic()
    path = await find_path(shapes, "c00", "c49", max_depth=10, direction=Direction.BOTH)

    assert isinstance(path, Path)
    assert path.length == 1
    assert time.monotonic() - began < SOON_S


async def test_from_a_node_to_itself_is_the_node(shapes: Database) -> None:
    path = await find_path(shapes, "loop", "LOOP")

    assert isinstance(path, Path)
    assert ([node.name for node in path.nodes], path.edges) == (["loop"], ())


async def test_no_path_and_too_far_are_two_answers(shapes: Database) -> None:
    none = await find_path(shapes, "n0", "island")
    far = await find_path(shapes, "n0", "n9")

    assert isinstance(none, NoPath)
    assert none.shortest is None
    assert isinstance(far, NoPath)
    assert (far.shortest, far.max_depth) == (9, 6)


async def test_directions_of_a_path(shapes: Database) -> None:
    against = await find_path(shapes, "n4", "n2", direction=Direction.INCOMING)
    either = await find_path(shapes, "left", "right", direction=Direction.BOTH)

    assert isinstance(await find_path(shapes, "n4", "n2"), NoPath)
    assert isinstance(against, Path)
    assert [node.name for node in against.nodes] == ["n4", "n3", "n2"]
    assert [(edge.source, edge.target) for edge in against.edges] == [("n3", "n4"), ("n2", "n3")]
    assert isinstance(either, Path)
    assert [node.name for node in either.nodes] == ["left", "end", "right"]


async def test_a_missing_node_is_said_to_be_missing(shapes: Database) -> None:
    with pytest.raises(NotFound, match="nobody"):
        await find_path(shapes, "hub", "nobody")
    with pytest.raises(NotFound, match="nobody"):
        await fetch_neighbors(shapes, "nobody")


async def test_hubs_are_ranked_by_degree_and_ties_by_id(shapes: Database) -> None:
    began = time.monotonic()
    hubs = await fetch_hubs(shapes, limit=4)

    assert [(ranked.node.name, ranked.score) for ranked in hubs.nodes] == [
        ("hub", LEAVES),
        ("c00", 98),
        ("c01", 98),
        ("c02", 98),
    ]
    assert time.monotonic() - began < SOON_S
    assert (await fetch_hubs(shapes, limit=4)) == hubs


async def test_hubs_leave_no_projection_behind(shapes: Database, cypher) -> None:
    await fetch_hubs(shapes)

    assert await cypher("CALL gds.graph.list() YIELD graphName RETURN graphName") == []


async def test_hubs_of_an_empty_graph_are_none(database: Database) -> None:
    assert (await fetch_hubs(database)).nodes == ()


async def test_hubs_of_an_unknown_kind_are_refused(database: Database) -> None:
    with pytest.raises(InvalidInput, match="Unknown kind"):
        await fetch_hubs(database, kinds=["`x"])


@pytest.mark.parametrize(
    "ref", ["`) DETACH DELETE n //", "\\u0060", "'", '"', "a\nb", "x" * 2_001, "CALL dbms.shutdown()", "\0"]
)
async def test_hostile_names_are_data(database: Database, ref: str) -> None:
    await upsert_documents(database, [document("a.txt", alone=("Ada",))])

    with pytest.raises((NotFound, InvalidInput)):
        await get_node(database, ref)
    assert (await get_node(database, "ada")).name == "Ada"


async def test_hostile_names_come_back_unchanged(database: Database) -> None:
    hostile = ("`) DETACH DELETE n //", "\\u0060\\u0027", 'it\'s "x"', "{a: $b}", "CALL dbms.shutdown()")
    await upsert_documents(database, [document("a.txt", alone=hostile)])

    for name in hostile:
        assert (await get_node(database, name)).name == name
