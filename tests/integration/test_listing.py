"""Lists of nodes, edges and documents on a real database: filters, orders, pages, and what they read."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from graph.answers import Key, Page
from graph.database import Database
from graph.errors import InvalidInput
from graph.filters import And, Condition, Not, Or, Test
from graph.listing import (
    Order,
    count_documents,
    count_edges,
    count_nodes,
    fetch_document_page,
    fetch_edge_page,
    fetch_node_page,
    find_edge,
)
from graph.model import Provenance
from graph.statements import load_text
from graph.store import upsert_documents
from graph.views import fetch_edge_views
from tests.builders import document
from tests.conditions import conditions, holds
from tests.raw import Cypher

_ON_NEO4J = settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture]
)

Fetch = Callable[..., Awaitable[Page[Any]]]


@pytest.fixture(scope="module")
async def varied(connected: Database, cypher: Cypher) -> Database:
    """Nodes of several kinds, with and without paths, a self-loop, parallel edges, an edge in two documents."""
    await cypher.clear()
    await upsert_documents(
        connected,
        [
            document("a.txt", ("ada", "wrote", "notes"), ("ada", "studied", "maths"), ("ada", "calls", "ada")),
            document("b.txt", ("ada", "wrote", "notes"), ("Ada Two", "wrote", "notes"), kind="person"),
            document(
                "c.txt",
                ("ada", "contradicts", "notes"),
                ("notes", "contains", "maths"),
                alone=("alone", "zoë", "Ada"),
                confidence=0.5,
                provenance=Provenance.INFERRED,
                kind="concept",
            ),
            document("d.txt", ("notes", "contains", "maths"), confidence=0.25, provenance=Provenance.ASSERTED),
        ],
    )
    await cypher("MATCH (n:Node) WHERE n.name STARTS WITH 'a' SET n.path = 'src/' + n.name + '.py'")
    return connected


@pytest.fixture(scope="module")
async def nodes(varied: Database, cypher: Cypher) -> dict[str, dict[str, Any]]:
    return await all_nodes(cypher)


@pytest.fixture(scope="module")
async def edges(varied: Database, cypher: Cypher) -> dict[str, dict[str, Any]]:
    return await all_edges(cypher)


async def all_nodes(cypher: Cypher) -> dict[str, dict[str, Any]]:
    rows = await cypher(
        "MATCH (n:Node) OPTIONAL MATCH (n)<-[:OF]-()<-[:HAS_MENTION]-()<-[:HAS_SEGMENT]-(d) "
        "RETURN n.node_id AS id, n.name AS name, n.kind AS kind, n.path AS path, collect(d.source_doc_id) AS documents"
    )
    edges = (await all_edges(cypher)).values()
    for row in rows:
        row["degree"] = sum((edge["source"] == row["id"]) + (edge["target"] == row["id"]) for edge in edges)
    return {row["id"]: row for row in rows}


async def all_edges(cypher: Cypher) -> dict[str, dict[str, Any]]:
    rows = await cypher(
        "MATCH (s:Node)-[r]->(t:Node) OPTIONAL MATCH (:Mention {edge_id: r.edge_id})<--()<-[:HAS_SEGMENT]-(d) "
        "RETURN r.edge_id AS id, r.relation AS relation, r.provenance AS provenance, r.confidence AS confidence, "
        "s.node_id AS source, t.node_id AS target, collect(d.source_doc_id) AS documents"
    )
    return {row["id"]: row for row in rows}


NODE_TEXTS = st.sampled_from(["ada", "Ada", "notes", "maths", "a", "", "person", "con", "src/", "ada.py", "zoë", "'"])
NODE_TESTS = st.one_of(
    st.builds(
        Test,
        st.sampled_from(["name", "kind", "path"]),
        st.sampled_from(["eq", "contains", "starts_with", "ends_with"]),
        NODE_TEXTS,
    ),
    st.builds(
        Test, st.sampled_from(["name", "kind", "path"]), st.just("in"), st.lists(NODE_TEXTS, max_size=3).map(tuple)
    ),
    st.builds(Test, st.just("degree"), st.sampled_from(["eq", "gt", "gte", "lt", "lte"]), st.integers(0, 6)),
    st.builds(Test, st.just("document"), st.just("eq"), st.sampled_from(["a.txt", "b.txt", "c.txt", "none"])),
)
EDGE_TESTS = st.one_of(
    st.builds(
        Test,
        st.just("relation"),
        st.sampled_from(["eq", "contains", "starts_with", "ends_with"]),
        st.sampled_from(["wrote", "contains", "con", "s", ""]),
    ),
    st.builds(
        Test,
        st.just("relation"),
        st.just("in"),
        st.lists(st.sampled_from(["wrote", "calls", "won"]), max_size=3).map(tuple),
    ),
    st.builds(Test, st.just("provenance"), st.just("eq"), st.sampled_from([*Provenance]).map(lambda each: each.value)),
    st.builds(
        Test,
        st.just("confidence"),
        st.sampled_from(["eq", "gt", "gte", "lt", "lte"]),
        st.sampled_from([0, 0.25, 0.5, 0.75, 1]),
    ),
    st.builds(
        Test, st.sampled_from(["source", "target"]), st.just("eq"), st.sampled_from(["ada", "notes", "maths", "no"])
    ),
    st.builds(Test, st.just("document"), st.just("eq"), st.sampled_from(["a.txt", "b.txt", "c.txt", "none"])),
)
NODE_ORDERS = st.lists(st.builds(Order, st.sampled_from(["name", "kind", "degree"]), st.booleans()), max_size=4)
EDGE_ORDERS = st.lists(st.builds(Order, st.sampled_from(["relation", "confidence"]), st.booleans()), max_size=3)


def in_order(items: dict[str, dict[str, Any]], where: Condition | None, order: Sequence[Order]) -> list[str]:
    found = sorted(item_id for item_id, item in items.items() if holds(where, item))
    for each in reversed(order):
        found.sort(key=lambda item_id: items[item_id][each.field], reverse=each.descending)
    return found


async def walk(fetch: Fetch, database: Database, size: int, **asked: Any) -> list[str]:
    """The ids of all pages, each but the last one full."""
    found: list[str] = []
    after: Key | None = None
    while True:
        page = await fetch(database, first=size, after=after, **asked)
        assert len(page.items) == len(page.keys)
        assert len(page.items) == size or not page.has_next
        found += [str(key[-1]) for key in page.keys]
        if not page.has_next:
            return found
        after = page.keys[-1]


@_ON_NEO4J
@given(where=conditions(NODE_TESTS), order=NODE_ORDERS, size=st.integers(1, 8))
async def test_nodes_are_those_that_python_finds(
    varied: Database, nodes: dict[str, dict[str, Any]], where: Condition, order: list[Order], size: int
) -> None:
    expected = in_order(nodes, where, order)

    assert await walk(fetch_node_page, varied, size, where=where, order=order) == expected
    assert await count_nodes(varied, where) == len(expected)


@_ON_NEO4J
@given(where=conditions(EDGE_TESTS), order=EDGE_ORDERS, size=st.integers(1, 8))
async def test_edges_are_those_that_python_finds(
    varied: Database, edges: dict[str, dict[str, Any]], where: Condition, order: list[Order], size: int
) -> None:
    expected = in_order(edges, where, order)

    assert await walk(fetch_edge_page, varied, size, where=where, order=order) == expected
    assert await count_edges(varied, where) == len(expected)


async def test_without_a_filter_all_come_and_are_counted(
    varied: Database, nodes: dict[str, dict[str, Any]], edges: dict[str, dict[str, Any]]
) -> None:
    assert await walk(fetch_node_page, varied, 3) == sorted(nodes)
    assert await walk(fetch_edge_page, varied, 2) == sorted(edges)
    assert (await count_nodes(varied), await count_edges(varied)) == (len(nodes), len(edges))
    assert await walk(fetch_document_page, varied, 2) == ["a.txt", "b.txt", "c.txt", "d.txt"]
    assert await count_documents(varied) == 4


async def test_documents_by_each_field(varied: Database, cypher: Cypher) -> None:
    await cypher("MATCH (d:Document {source_doc_id: 'b.txt'}) SET d.status = 'FAILED', d.reason = 'broken'")
    failed = Test("status", "eq", "FAILED")
    text = And((Test("modality", "eq", "TEXT"), Not(failed), Test("path", "in", ("a.txt", "b.txt"))))

    (only,) = (await fetch_document_page(varied, where=failed, first=5)).items
    assert (only.document_id, only.reason, only.language, only.path) == ("b.txt", "broken", None, "b.txt")
    assert await walk(fetch_document_page, varied, 1, where=text) == ["a.txt"]
    assert await count_documents(varied, Or((failed, text))) == 2
    await cypher("MATCH (d:Document {source_doc_id: 'b.txt'}) SET d.status = 'DONE' REMOVE d.reason")


async def test_an_edge_is_shown_as_elsewhere(varied: Database) -> None:
    page = await fetch_edge_page(varied, first=100)
    refs = [{"edge_id": one.edge.edge_id, "source": one.edge.source, "target": one.edge.target} for one in page.items]

    assert {one.edge.edge_id: one.edge for one in page.items} == await fetch_edge_views(varied, refs)
    assert all((one.source.node_id, one.target.node_id) == (one.edge.source, one.edge.target) for one in page.items)
    assert {one.edge.mentions for one in page.items} == {1, 2}


async def test_an_edge_by_its_id(varied: Database) -> None:
    page = await fetch_edge_page(varied, first=100)

    assert [await find_edge(varied, one.edge.edge_id) for one in page.items] == list(page.items)
    assert await find_edge(varied, "ada") is None


@pytest.mark.parametrize("order", [(), (Order("name"),), (Order("kind", descending=True), Order("degree"))])
async def test_pages_hold_still_while_nodes_come_and_go(
    database: Database, cypher: Cypher, order: tuple[Order, ...]
) -> None:
    names = tuple(f"n{number:02}" for number in range(0, 40, 2))
    await upsert_documents(database, [document("a.txt", alone=names)])
    page = await fetch_node_page(database, order=order, first=5)
    seen = [str(key[-1]) for key in page.keys]

    gone = {seen[0], seen[4], names[9]}  # one behind, the very place that is gone on from, one ahead
    await cypher("MATCH (n:Node) WHERE n.node_id IN $gone DETACH DELETE n", gone=sorted(gone))
    await upsert_documents(database, [document("b.txt", alone=("n01", "n09", "n99"))])
    while page.has_next:
        page = await fetch_node_page(database, order=order, first=5, after=page.keys[-1])
        seen += [str(key[-1]) for key in page.keys]

    assert seen == sorted(set(seen))
    assert {*names} - gone | {"n09", "n99"} <= {*seen} <= {*names} - {names[9]} | {"n09", "n99"}


async def test_edges_hold_still_while_they_come_and_go(database: Database, cypher: Cypher) -> None:
    facts = [("hub", "calls", f"n{number:02}") for number in range(20)]
    await upsert_documents(database, [document("a.txt", *facts)])
    before = await all_edges(cypher)
    page = await fetch_edge_page(database, first=6)
    seen = [str(key[-1]) for key in page.keys]

    await cypher("MATCH ()-[r {edge_id: $id}]->() DELETE r", id=seen[-1])
    await cypher("MATCH (m:Mention {edge_id: $id}) DETACH DELETE m", id=seen[-1])
    await upsert_documents(database, [document("b.txt", ("hub", "references", "n01"), ("n02", "calls", "hub"))])
    while page.has_next:
        page = await fetch_edge_page(database, first=6, after=page.keys[-1])
        seen += [str(key[-1]) for key in page.keys]

    assert seen == sorted(set(seen))
    assert {*before} <= {*seen}


async def test_first_may_be_nothing_and_says_whether_there_is_more(varied: Database) -> None:
    for fetch in (fetch_node_page, fetch_edge_page, fetch_document_page):
        assert await fetch(varied, first=0) == Page((), (), has_next=True)
    nobody = await fetch_node_page(varied, where=Test("name", "eq", "nobody"), first=0)
    assert nobody == Page((), (), has_next=False)


@pytest.mark.parametrize("first", [-1, 1_001])
async def test_first_is_bounded(varied: Database, first: int) -> None:
    for fetch in (fetch_node_page, fetch_edge_page, fetch_document_page):
        with pytest.raises(InvalidInput, match="first"):
            await fetch(varied, first=first)


@pytest.mark.parametrize(
    ("fetch", "order", "after"),
    [
        (fetch_node_page, (), ()),
        (fetch_node_page, (), (1,)),
        (fetch_node_page, (), ("ada", "ada")),
        (fetch_node_page, ("name",), ("ada",)),
        (fetch_node_page, ("degree",), ("3", "ada")),
        (fetch_node_page, ("degree",), (3.5, "ada")),
        (fetch_node_page, ("degree",), (True, "ada")),
        (fetch_node_page, ("degree",), (2**63, "ada")),
        (fetch_node_page, ("name", "name"), ("ada", "ada", "ada")),
        (fetch_edge_page, ("confidence",), ("0.5", "ada")),
        (fetch_edge_page, ("confidence",), (float("nan"), "ada")),
        (fetch_edge_page, ("confidence", "relation"), (0.5, "ada")),
    ],
)
async def test_a_key_of_another_order_is_refused(
    varied: Database, fetch: Fetch, order: tuple[str, ...], after: Key
) -> None:
    with pytest.raises(InvalidInput, match="none of this list"):
        await fetch(varied, order=[Order(field) for field in order], first=3, after=after)


async def test_only_known_fields_are_sorted_by(varied: Database) -> None:
    with pytest.raises(InvalidInput, match="Can't sort by 'confidence': use name, kind, degree"):
        await fetch_node_page(varied, order=[Order("confidence")], first=3)
    with pytest.raises(InvalidInput, match="Can't sort by 'name'"):
        await fetch_edge_page(varied, order=[Order("name")], first=3)


@pytest.mark.parametrize(
    "text", ["'", '"', "\\", "`", "\u0060) RETURN 1 //", "\0", "{}", "$clauses", "\u2028", "🔥", "x" * 10_000]
)
async def test_no_text_of_a_filter_is_more_than_data(varied: Database, text: str) -> None:
    where = Or((Test("name", "eq", text), Test("path", "contains", text), Test("document", "eq", text)))

    assert (await fetch_node_page(varied, where=where, first=3)).items == ()
    assert (await fetch_edge_page(varied, where=Test("source", "eq", text), first=3)).items == ()


@pytest.fixture(scope="module")
async def many(connected: Database, cypher: Cypher) -> Database:
    """2,000 nodes in a chain of edges."""
    await cypher.clear()
    facts = [(f"n{number:04}", "calls", f"n{number + 1:04}") for number in range(1_999)]
    await upsert_documents(
        connected, [document(f"{start}.txt", *facts[start : start + 500]) for start in range(0, 2_000, 500)]
    )
    return connected


@pytest.mark.parametrize(
    ("statement", "more", "most"),
    [
        ("fetch_nodes", {"after": "n1000"}, 300),
        ("fetch_kind_nodes", {"after": "n1000", "kind": "entity"}, 300),
        ("fetch_documents", {"after": ""}, 300),
        ("fetch_edges", {"after": "8", "stated": {"relations": [], "provenances": [], "least": 0, "most": 1}}, 1_500),
    ],
)
async def test_a_page_reads_little_more_than_it_shows(
    many: Database, cypher: Cypher, statement: str, more: dict[str, Any], most: int
) -> None:
    hits = await cypher.count_hits(load_text(f"listing/{statement}"), clauses=[], complement=False, limit=11, **more)

    assert 0 < hits < most


@pytest.mark.parametrize(
    ("start", "most"),
    [
        ({"names": ["n1000"]}, 100),
        ({"name_prefixes": ["n100"]}, 400),
        ({"paths": ["nowhere"]}, 100),
        ({"documents": ["none"]}, 100),
    ],
)
async def test_a_filter_starts_at_its_index(many: Database, cypher: Cypher, start: dict[str, Any], most: int) -> None:
    lists = ("names", "name_prefixes", "paths", "path_prefixes", "kinds", "documents", "everything")
    hits = await cypher.count_hits(
        load_text("listing/count_nodes"),
        start={name: start.get(name, []) for name in lists},
        clauses=[],
        complement=False,
    )

    assert hits < most
