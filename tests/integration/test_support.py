"""What lies around many parents, in one statement each: pages, hubs, loops, and parents that are not there."""

from collections.abc import Sequence
from typing import Any

import pytest

from graph import support
from graph.answers import Direction, Key, Page
from graph.database import Database
from graph.errors import InvalidInput
from graph.store import upsert_documents
from graph.support import EdgesRequest, NeighborsRequest, PageRequest
from graph.views import fetch_edge_views
from tests.builders import document
from tests.raw import Cypher

LEAVES = 5_000
EMPTY: Page[Any] = Page((), (), has_next=False)


@pytest.fixture(scope="module")
async def graph(connected: Database, cypher: Cypher) -> Database:
    """A hub of 5,000 leaves that 60 documents name, a self-loop, and an edge that three documents state."""
    await cypher.clear()
    leaves = [("hub", "calls", f"leaf{number:04}") for number in range(LEAVES)]
    await upsert_documents(
        connected,
        [
            document("hub.txt", *leaves),
            document("loop.txt", ("loop", "calls", "loop"), ("loop", "references", "end"), ("end", "calls", "loop")),
            *(document(f"same{number}.txt", ("x", "wrote", "y"), alone=("z",)) for number in range(3)),
            *(document(f"name{number:02}.txt", alone=("hub",)) for number in range(60)),
        ],
    )
    return connected


def page(parent: str, first: int = 10, after: Key | None = None) -> PageRequest:
    return PageRequest(parent, first, after)


def edges(parent: str, first: int = 10, direction: Direction = Direction.BOTH, *relations: str) -> EdgesRequest:
    return EdgesRequest(parent, direction, relations, first)


def mention_ids(found: Page[Any]) -> list[str]:
    return [mention.mention_id for mention in found.items]


async def edge_id(cypher: Cypher, source: str, relation: str, target: str) -> str:
    (row,) = await cypher(
        "MATCH ({node_id: $source})-[r {relation: $relation}]->({node_id: $target}) RETURN r.edge_id AS id",
        source=source,
        relation=relation,
        target=target,
    )
    return row["id"]


async def test_mentions_and_documents_of_nodes_come_together(graph: Database) -> None:
    wanted = [page("hub", 3), page("z"), page("nobody"), page("hub", 100)]

    mentions, documents = await support.fetch_node_support(graph, wanted, [page("hub", 2), page("x"), page("nobody")])

    assert set(mentions) == set(wanted)
    assert [len(mentions[request].items) for request in wanted] == [3, 3, 0, 61]
    assert [mentions[request].has_next for request in wanted] == [True, False, False, False]
    assert [mention.document.document_id for mention in mentions[wanted[0]].items] == [
        "hub.txt",
        "name00.txt",
        "name01.txt",
    ]
    assert [view.document_id for view in documents[page("hub", 2)].items] == ["hub.txt", "name00.txt"]
    assert [view.document_id for view in documents[page("x")].items] == ["same0.txt", "same1.txt", "same2.txt"]
    assert documents[page("nobody")] == EMPTY == mentions[page("nobody")]


async def test_a_mention_says_where_it_is(graph: Database) -> None:
    found, _ = await support.fetch_node_support(graph, [page("z", 1)], [])

    (mention,) = found[page("z", 1)].items
    text = (await support.fetch_segment_texts(graph, [mention.segment.segment_id]))[mention.segment.segment_id]
    assert mention.segment.document_id == mention.document.document_id == "same0.txt"
    assert mention.char_start is not None
    assert text[mention.char_start : mention.char_end] == mention.evidence_span == "z"
    assert (mention.line_start, mention.line_end, mention.verified, mention.ts_start) == (2, 2, True, None)
    assert (mention.document.nodes, mention.document.edges, mention.document.mentions) == (3, 1, 4)
    assert await support.fetch_document_views(graph, ["same0.txt", "no"]) == {"same0.txt": mention.document}


async def test_all_mentions_come_once_page_by_page(graph: Database) -> None:
    whole, documents = await support.fetch_node_support(graph, [page("hub", 100)], [page("hub", 100)])
    seen: list[str] = []
    stating: list[str] = []
    place: Key | None = None
    stated: Key | None = None
    for _ in range(9):
        found, more = await support.fetch_node_support(graph, [page("hub", 7, place)], [page("hub", 7, stated)])
        part, documents_part = found[page("hub", 7, place)], more[page("hub", 7, stated)]
        seen += mention_ids(part)
        stating += [view.document_id for view in documents_part.items]
        place, stated = part.keys[-1], documents_part.keys[-1]

    assert seen == mention_ids(whole[page("hub", 100)])
    assert len(set(seen)) == 61
    assert stating == [view.document_id for view in documents[page("hub", 100)].items]


async def test_the_edges_of_a_hub_come_once_page_by_page(graph: Database) -> None:
    seen: list[str] = []
    after: Key | None = None
    while True:
        request = EdgesRequest("hub", Direction.BOTH, (), 1_000, after)
        found = (await support.fetch_node_edges(graph, [request]))[request]
        seen += [one.edge.edge_id for one in found.items]
        if not found.has_next:
            break
        after = found.keys[-1]

    assert seen == sorted(set(seen))
    assert len(seen) == LEAVES


async def test_edges_by_direction_and_relation(graph: Database) -> None:
    asked = {
        edges("loop"): {("loop", "calls", "loop"), ("loop", "references", "end"), ("end", "calls", "loop")},
        edges("loop", 10, Direction.OUTGOING): {("loop", "calls", "loop"), ("loop", "references", "end")},
        edges("loop", 10, Direction.INCOMING): {("loop", "calls", "loop"), ("end", "calls", "loop")},
        edges("loop", 10, Direction.INCOMING, "references"): set(),
        edges("end", 10, Direction.BOTH, "references", "won"): {("loop", "references", "end")},
        edges("nobody"): set(),
    }

    found = await support.fetch_node_edges(graph, list(asked))

    triples = {
        request: {(one.source.node_id, one.edge.relation, one.target.node_id) for one in part.items}
        for request, part in found.items()
    }
    assert triples == asked
    assert len(found[edges("loop")].items) == 3


async def test_an_edge_shows_its_first_mention(graph: Database, cypher: Cypher) -> None:
    of = await edge_id(cypher, "x", "wrote", "y")

    found = (await support.fetch_node_edges(graph, [edges("x")]))[edges("x")]
    mentions = await support.fetch_edge_mentions(graph, [page(of), page("no")])

    (shown,) = found.items
    assert shown.edge == (await fetch_edge_views(graph, [{"edge_id": of, "source": "x", "target": "y"}]))[of]
    assert (shown.edge.mentions, shown.edge.path, shown.edge.line) == (3, "same0.txt", 1)
    assert shown.edge.evidence_span == mentions[page(of)].items[0].evidence_span == "x wrote y"
    assert mentions[page("no")] == EMPTY


async def test_neighbors_come_once_by_id(graph: Database) -> None:
    both, out = NeighborsRequest("loop", Direction.BOTH, (), 5), NeighborsRequest("hub", Direction.OUTGOING, (), 3)
    none = NeighborsRequest("hub", Direction.INCOMING, (), 3)
    calls = NeighborsRequest("loop", Direction.OUTGOING, ("calls",), 3)

    found = await support.fetch_node_neighbors(graph, [both, out, none, calls])

    ids = {request: [view.node_id for view in views] for request, views in found.items()}
    assert ids == {both: ["end", "loop"], out: ["leaf0000", "leaf0001", "leaf0002"], none: [], calls: ["loop"]}


async def test_counts(graph: Database, cypher: Cypher) -> None:
    wrote = await edge_id(cypher, "x", "wrote", "y")
    sides = [("loop", direction) for direction in Direction]

    assert await support.count_node_mentions(graph, ["hub", "z", "no"]) == {"hub": 61, "z": 3, "no": 0}
    assert await support.count_edge_mentions(graph, [wrote, "no"]) == {wrote: 3, "no": 0}
    assert await support.count_node_degrees(graph, [*sides, ("hub", Direction.BOTH), ("no", Direction.BOTH)]) == {
        ("loop", Direction.OUTGOING): 2,
        ("loop", Direction.INCOMING): 2,
        ("loop", Direction.BOTH): 4,
        ("hub", Direction.BOTH): LEAVES,
        ("no", Direction.BOTH): 0,
    }


async def test_counted_edges_are_those_that_pages_have(graph: Database) -> None:
    asked = [
        (node, direction, relations)
        for node in ("loop", "end", "x", "leaf0000", "no")
        for direction in Direction
        for relations in ((), ("calls",), ("calls", "references"))
    ]

    counts = await support.count_node_edges(graph, asked)
    pages = await support.fetch_node_edges(
        graph, [EdgesRequest(node, direction, relations, 100) for node, direction, relations in asked]
    )

    assert counts == {
        (request.parent, request.direction, request.relations): len(part.items) for request, part in pages.items()
    }


async def test_one_statement_answers_all(graph: Database, cypher: Cypher) -> None:
    seen: list[str] = []
    observed = _observed(graph, seen)

    await support.fetch_node_support(observed, [page(f"leaf{n:04}") for n in range(100)], [page("hub"), page("x")])
    await support.fetch_node_edges(observed, [edges(f"leaf{n:04}") for n in range(100)])

    assert seen == ["support/fetch_node_support", "support/fetch_node_edges"]


def _observed(database: Database, seen: list[str]) -> Database:
    from contextlib import AbstractContextManager, nullcontext

    def note(name: str) -> AbstractContextManager[object]:
        seen.append(name)
        return nullcontext()

    return Database(database._driver, database.endpoint, note)


async def test_nothing_asked_costs_nothing(graph: Database) -> None:
    seen: list[str] = []
    observed = _observed(graph, seen)

    assert await support.fetch_node_support(observed, [], []) == ({}, {})
    for fetch in (
        support.fetch_edge_mentions,
        support.fetch_node_edges,
        support.fetch_node_neighbors,
        support.fetch_document_segments,
        support.fetch_segment_entities,
        support.fetch_segment_edges,
        support.fetch_segment_texts,
        support.fetch_document_views,
        support.count_node_mentions,
        support.count_edge_mentions,
        support.count_node_edges,
        support.count_document_segments,
        support.count_node_degrees,
    ):
        assert await fetch(observed, []) == {}
    assert seen == []


async def test_first_may_be_nothing(graph: Database) -> None:
    found = await support.fetch_node_edges(graph, [edges("hub", 0), edges("no", 0)])

    assert found == {edges("hub", 0): Page((), (), has_next=True), edges("no", 0): EMPTY}
    assert await support.fetch_segment_entities(graph, [page("hub.txt#L1", 0)]) == {page("hub.txt#L1", 0): ()}


@pytest.mark.parametrize("after", [(), ("a",), ("a", 1, 1, "x", "m"), ("a", 1, 1, 1), (1, 1, 1, 1, "m")])
async def test_a_key_of_another_list_is_refused(graph: Database, after: Key) -> None:
    with pytest.raises(InvalidInput, match="none of this list"):
        await support.fetch_node_support(graph, [page("hub", 3, after)], [])
    with pytest.raises(InvalidInput, match="none of this list"):
        await support.fetch_edge_mentions(graph, [page("hub", 3, after)])
    with pytest.raises(InvalidInput, match="none of this list"):
        await support.fetch_document_segments(graph, [page("hub.txt", 3, after)])


@pytest.mark.parametrize("after", [(), (1,), ("a", "b")])
async def test_an_id_is_a_key_of_edges_and_documents(graph: Database, after: Key) -> None:
    with pytest.raises(InvalidInput, match="none of this list"):
        await support.fetch_node_edges(graph, [EdgesRequest("hub", Direction.BOTH, (), 3, after)])
    with pytest.raises(InvalidInput, match="none of this list"):
        await support.fetch_node_support(graph, [], [page("hub", 3, after)])


async def test_what_can_not_be_asked_is_refused(graph: Database) -> None:
    with pytest.raises(InvalidInput, match="Unknown relation"):
        await support.fetch_node_edges(graph, [edges("hub", 3, Direction.BOTH, "`) RETURN 1 //")])
    with pytest.raises(InvalidInput, match="Unknown relation"):
        await support.count_node_edges(graph, [("hub", Direction.BOTH, ("no",))])
    with pytest.raises(InvalidInput, match="first"):
        await support.fetch_node_support(graph, [page("hub", 1_001)], [])
    with pytest.raises(InvalidInput, match="no pages"):
        await support.fetch_segment_entities(graph, [page("hub.txt#L1", 3, ("a",))])


@pytest.mark.parametrize("ids", [["'", "`", "\\", "\0", "x" * 10_000, "🔥"]])
async def test_ids_are_data(graph: Database, ids: Sequence[str]) -> None:
    found, documents = await support.fetch_node_support(graph, [page(one) for one in ids], [page(one) for one in ids])

    assert set(found.values()) == set(documents.values()) == {EMPTY}


async def test_mentions_hold_still_while_documents_come_and_go(database: Database, cypher: Cypher) -> None:
    await upsert_documents(database, [document(f"d{number}.txt", ("a", "calls", "b")) for number in range(8)])
    (row,) = await cypher("MATCH ()-[r:CALLS]->() RETURN r.edge_id AS id")
    first = (await support.fetch_edge_mentions(database, [page(row["id"], 3)]))[page(row["id"], 3)]

    await cypher("MATCH (d:Document {source_doc_id: 'd2.txt'})-->(s)-->(m) DETACH DELETE d, s, m")
    await upsert_documents(database, [document("a.txt", ("a", "calls", "b")), document("d33.txt", ("a", "calls", "b"))])
    rest = page(row["id"], 50, first.keys[-1])
    second = (await support.fetch_edge_mentions(database, [rest]))[rest]

    names = [mention.document.document_id for mention in (*first.items, *second.items)]
    assert names == ["d0.txt", "d1.txt", "d2.txt", "d3.txt", "d33.txt", "d4.txt", "d5.txt", "d6.txt", "d7.txt"]


async def test_mentions_of_one_document_come_by_place(database: Database, cypher: Cypher) -> None:
    await upsert_documents(database, [document("a.txt", ("a", "calls", "b"))])
    (row,) = await cypher(
        "MATCH (s:Segment)-[:HAS_MENTION]->(m:Mention) WHERE m.edge_id IS NOT NULL "
        "UNWIND [[3, 1], [1, 9], [1, 2], [2, 0], [1, 2]] AS place "
        "CREATE (s)-[:HAS_MENTION]->(x:Mention) "
        "SET x = m {.*, mention_id: randomUUID(), line_start: place[0], char_start: place[1]} "
        "RETURN DISTINCT m.edge_id AS id"
    )

    found = (await support.fetch_edge_mentions(database, [page(row["id"])]))[page(row["id"])]

    assert [(mention.line_start, mention.char_start) for mention in found.items] == sorted(
        [(1, 0), (3, 1), (1, 9), (1, 2), (2, 0), (1, 2)]
    )


async def test_segments_come_in_the_order_of_the_text(database: Database, cypher: Cypher) -> None:
    await upsert_documents(database, [document("a.txt", alone=("a",))])
    await cypher(
        "MATCH (d:Document) UNWIND range(1, 12) AS n CREATE (d)-[:HAS_SEGMENT]->(:Segment {segment_id: 'a.txt#S' + n, "
        "label: 'S' + n, ordinal: n, text: 't' + n, char_offset: n, line_start: n, modality: 'TRANSCRIPT', "
        "ts_start: n * 1.0, ts_end: n + 0.5})"
    )

    first = await support.fetch_document_segments(database, [page("a.txt", 5), page("no")])
    rest = page("a.txt", 20, first[page("a.txt", 5)].keys[-1])
    second = (await support.fetch_document_segments(database, [rest]))[rest]

    segments = [*first[page("a.txt", 5)].items, *second.items]
    assert [segment.ordinal for segment in segments] == list(range(13))
    assert (segments[12].ts_start, segments[12].ts_end, segments[12].label) == (12.0, 12.5, "S12")
    assert (first[page("a.txt", 5)].has_next, second.has_next, first[page("no")]) == (True, False, EMPTY)
    assert await support.count_document_segments(database, ["a.txt", "no"]) == {"a.txt": 13, "no": 0}


async def test_what_a_segment_supports(database: Database, cypher: Cypher) -> None:
    facts = (("B", "calls", "A"), ("A", "wrote", "C"), ("C", "contains", "B"))
    await upsert_documents(database, [document("text.txt", *facts), document("code.txt", *facts)])
    await cypher("MATCH (s:Segment {segment_id: 'code.txt#L1'}) SET s.modality = 'CODE'")

    entities = await support.fetch_segment_entities(database, [page("text.txt#L1"), page("text.txt#L1", 2), page("no")])
    stated = await support.fetch_segment_edges(
        database,
        [(f"{name}.txt#L1", claims, 10) for name in ("text", "code", "no") for claims in (False, True)]
        + [("text.txt#L1", False, 1)],
    )

    assert {request: [view.node_id for view in views] for request, views in entities.items()} == {
        page("text.txt#L1"): ["b", "a", "c"],
        page("text.txt#L1", 2): ["b", "a"],
        page("no"): [],
    }
    assert {request: [one.edge.relation for one in found] for request, found in stated.items()} == {
        ("text.txt#L1", False, 10): ["calls", "wrote", "contains"],
        ("text.txt#L1", True, 10): ["wrote", "contains"],
        ("code.txt#L1", False, 10): ["calls", "wrote", "contains"],
        ("code.txt#L1", True, 10): [],
        ("no.txt#L1", False, 10): [],
        ("no.txt#L1", True, 10): [],
        ("text.txt#L1", False, 1): ["calls"],
    }
