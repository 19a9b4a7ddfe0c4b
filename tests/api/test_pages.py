"""Pages: Relay's, stable under inserts, in orders that callers choose."""

import pytest

from graph.database import Database
from graph.model import DocumentId
from graph.store import delete_documents, upsert_documents
from tests.api.conftest import OTHER, TENANT, Api
from tests.builders import document

PAGE = """
nodes(where: $where, orderBy: $order, first: $first, after: $after) {
  totalCount nodes { id } edges { cursor node { id degree kind name } }
  pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
}
"""
DECLARE = "$where: NodeFilter, $order: [NodeOrder!], $first: Int, $after: String"
NAMES = [f"node {n:02}" for n in range(12)]


async def fetch_page(api: Api, *, where=None, order=None, first=5, after=None) -> dict:
    found = await api.tenant(PAGE, declare=DECLARE, where=where, order=order, first=first, after=after)
    return found["nodes"]


async def walk(api: Api, **given) -> list[str]:
    ids, after = [], None
    while True:
        page = await fetch_page(api, after=after, **given)
        ids += [node["id"] for node in page["nodes"]]
        assert page["pageInfo"]["hasPreviousPage"] == (after is not None)
        if not page["pageInfo"]["hasNextPage"]:
            return ids
        after = page["pageInfo"]["endCursor"]


async def test_pages_put_together_are_the_list(api: Api, graph: Database) -> None:
    await upsert_documents(graph, [document("a.txt", alone=tuple(NAMES))])

    page = await fetch_page(api)
    ids = await walk(api)

    assert ids == sorted(name.replace(" ", "_") for name in NAMES)
    assert page["totalCount"] == 12
    assert [edge["node"]["id"] for edge in page["edges"]] == [node["id"] for node in page["nodes"]] == ids[:5]
    assert page["edges"][0]["cursor"] == page["pageInfo"]["startCursor"]


async def test_what_comes_or_goes_between_two_pages_moves_nothing(api: Api, graph: Database) -> None:
    await upsert_documents(graph, [document("a.txt", alone=tuple(NAMES)), document("b.txt", alone=("node 00a",))])
    first = await fetch_page(api, first=4)

    await upsert_documents(graph, [document("c.txt", alone=("aaa", "node 01a"))])
    await delete_documents(graph, [DocumentId("b.txt")])
    second = await fetch_page(api, first=4, after=first["pageInfo"]["endCursor"])

    assert [node["id"] for node in second["nodes"]] == ["node_03", "node_04", "node_05", "node_06"]


@pytest.mark.parametrize(
    ("order", "key"),
    [
        ([{"field": "NAME", "direction": "DESC"}], lambda node: [-ord(char) for char in node["name"]]),
        ([{"field": "DEGREE", "direction": "DESC"}], lambda node: (-node["degree"], node["id"])),
        (
            [{"field": "KIND"}, {"field": "DEGREE"}],
            lambda node: (node["kind"], node["degree"], node["id"]),
        ),
    ],
)
async def test_orders_hold_over_page_ends(api: Api, graph: Database, order, key) -> None:
    facts = [("hub", "contains", f"leaf {n}") for n in range(7)] + [("leaf 1", "contains", "leaf 2")]
    await upsert_documents(graph, [document("a.txt", *facts), document("b.txt", alone=("x", "y"), kind="person")])
    everything = (await fetch_page(api, first=100))["edges"]

    ids = await walk(api, order=order, first=3)

    assert ids == [node["id"] for node in sorted((edge["node"] for edge in everything), key=key)]


async def test_filters_combine(api: Api, graph: Database) -> None:
    await upsert_documents(
        graph, [document("a.txt", alone=tuple(NAMES)), document("b.txt", alone=("x",), kind="person")]
    )
    where = {
        "OR": [
            {"kind": {"eq": "person"}},
            {"AND": [{"name": {"startsWith": "node 0"}}, {"NOT": {"name": {"in": ["node 00", "node 01"]}}}]},
        ],
        "document": "a.txt",
    }
    assert await walk(api, where=where) == [f"node_{n:02}" for n in range(2, 10)]


async def test_a_page_of_nothing_tells_whether_there_is_something(api: Api, graph: Database) -> None:
    assert (await fetch_page(api, first=0))["pageInfo"]["hasNextPage"] is False
    await upsert_documents(graph, [document("a.txt", alone=("x",))])
    page = await fetch_page(api, first=0)
    assert (page["nodes"], page["pageInfo"]["hasNextPage"], page["totalCount"]) == ([], True, 1)


async def test_a_cursor_of_another_order_is_refused(api: Api, graph: Database) -> None:
    await upsert_documents(graph, [document("a.txt", alone=tuple(NAMES))])
    cursor = (await fetch_page(api))["pageInfo"]["endCursor"]

    for wrong in (cursor, cursor[:-2] + "zz", "", "'; DROP", "a" * 20_000):
        answer = await api.post(
            f'query({DECLARE}) {{ tenant(id: "tests") {{ {PAGE} }} }}',
            {"order": [{"field": "NAME"}], "after": wrong, "first": 2},
        )
        assert answer["errors"][0]["extensions"]["code"] == "INVALID_INPUT"


@pytest.mark.parametrize(
    "text", ["x'}) DETACH DELETE n //", "` OR 1=1 //", "\\u0060", "$param", "\n\r\t\\", "x" * 10_000, "\0"]
)
async def test_filters_are_data(api: Api, graph: Database, text: str) -> None:
    await upsert_documents(graph, [document("a.txt", alone=("x",))])
    for test in ("eq", "contains", "startsWith", "endsWith"):
        page = await fetch_page(api, where={"name": {test: text}})
        assert page["nodes"] == []
    assert (await fetch_page(api))["totalCount"] == 1


async def test_edges_take_names_for_their_ends(api: Api, graph: Database) -> None:
    await upsert_documents(graph, [document("a.txt", ("Marie Curie", "won", "Prize"), ("Ada", "won", "Prize"))])
    found = await api.tenant(
        "edges(where: $where) { totalCount nodes { source { name } } }",
        declare="$where: EdgeFilter",
        where={"source": "MARIE  CURIE", "relation": {"eq": "won"}, "confidence": {"gte": 0.5}},
    )
    assert found["edges"] == {"totalCount": 1, "nodes": [{"source": {"name": "Marie Curie"}}]}


async def test_cursors_of_one_tenant_are_not_taken_by_another(api: Api, graph: Database, other: Database) -> None:
    for database in (graph, other):
        await upsert_documents(database, [document("a.txt", alone=tuple(NAMES))])
    page_of = "query($t: ID!, $after: String) { tenant(id: $t) { nodes(first: 1, after: $after) { pageInfo { endCursor } } } }"
    theirs = await api.query(page_of, t=OTHER)
    cursor = theirs["tenant"]["nodes"]["pageInfo"]["endCursor"]

    answer = await api.post(page_of, {"t": TENANT, "after": cursor})

    assert answer["errors"][0]["extensions"]["code"] == "INVALID_INPUT"


async def test_one_of_nothing_is_nothing(api: Api, graph: Database) -> None:
    await upsert_documents(graph, [document("a.txt", alone=tuple(NAMES))])
    for field in ("kind", "name", "path"):
        assert await walk(api, where={field: {"in": []}}) == []
    assert len(await walk(api, where={"NOT": {"kind": {"in": []}}})) == len(NAMES)
    found = await api.tenant("edges(where: {relation: {in: []}}) { totalCount nodes { id } }")
    assert found["edges"] == {"totalCount": 0, "nodes": []}
