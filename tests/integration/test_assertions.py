"""Nodes and edges that callers state: idempotent, with evidence, and taken back with their document."""

import asyncio
import dataclasses
import itertools
import math

import pytest

from graph.assertions import Asserted, EdgeAssertion, NodeAssertion, upsert_graph
from graph.database import Database
from graph.errors import AmbiguousName, Conflict, InvalidInput, NotFound
from graph.fingerprint import get_graph_hash
from graph.lookup import get_node
from graph.model import DocumentId, Modality
from graph.store import delete_documents, upsert_documents
from tests.builders import document
from tests.raw import Cypher

RADIUM = EdgeAssertion("Marie Curie", "Radium", "discovered")
MARIE = NodeAssertion("Marie Curie", "person", "A physicist.", ("Maria Sklodowska",))
TEXT = document("a.txt", ("Marie Curie", "discovered", "Radium"))
SEGMENT = "a.txt#L1"


async def edges(cypher: Cypher) -> set[tuple[str, str, str, str, float]]:
    rows = await cypher(
        "MATCH (s:Node)-[r]->(t:Node) "
        "RETURN s.node_id AS s, r.relation AS r, t.node_id AS t, r.provenance AS p, r.confidence AS c"
    )
    assert len(rows) == len({tuple(row.values()) for row in rows})
    return {(row["s"], row["r"], row["t"], row["p"], row["c"]) for row in rows}


async def nothing_left(cypher: Cypher) -> bool:
    return await cypher("MATCH (n) WHERE n:Node OR n:Document OR n:Segment OR n:Mention RETURN labels(n)") == []


async def test_statements_become_nodes_and_edges_of_a_document(database: Database, cypher: Cypher) -> None:
    asserted = await upsert_graph(database, "caller", [MARIE], [dataclasses.replace(RADIUM, confidence=0.5)])

    assert asserted == Asserted(2, 1, "caller")
    assert await edges(cypher) == {("marie_curie", "discovered", "radium", "ASSERTED", 0.5)}
    shown = await get_node(database, "Marie Curie")
    assert (shown.kind, shown.description, shown.aliases) == ("person", "A physicist.", ("Maria Sklodowska",))
    [row] = await cypher(
        "MATCH (d:Document) RETURN d.source_doc_id AS id, d.path AS path, d.status AS status, d.nodes AS nodes, "
        "d.edges AS edges, d.mentions AS mentions"
    )
    assert row == {"id": "caller", "path": None, "status": "DONE", "nodes": 2, "edges": 1, "mentions": 3}


async def test_the_same_again_changes_nothing_and_more_is_added(database: Database, cypher: Cypher) -> None:
    await upsert_graph(database, "caller", [MARIE], [RADIUM])
    once = await get_graph_hash(database)

    again = await upsert_graph(database, "caller", [MARIE], [RADIUM, RADIUM])
    assert again == Asserted(2, 1, "caller")
    assert await get_graph_hash(database) == once

    await upsert_graph(database, "caller", [], [EdgeAssertion("Marie Curie", "Warsaw", "born_in")])
    assert len(await edges(cypher)) == 2
    assert (await get_node(database, "Marie Curie")).kind == "person"


async def test_deleting_the_document_takes_all_back(database: Database, cypher: Cypher) -> None:
    await upsert_documents(database, [TEXT])
    before = await get_graph_hash(database)
    await upsert_graph(database, "caller", [MARIE, NodeAssertion("Polonium")], [RADIUM])
    assert await get_graph_hash(database) != before

    await delete_documents(database, [DocumentId("caller")])
    assert await get_graph_hash(database) == before

    await upsert_graph(database, "caller", [MARIE, NodeAssertion("Polonium")], [RADIUM])
    await delete_documents(database, [DocumentId("a.txt")])
    await delete_documents(database, [DocumentId("caller")])
    assert await nothing_left(cypher)


async def test_relations_are_normalised_and_passives_swap_their_ends(database: Database, cypher: Cypher) -> None:
    await upsert_graph(
        database,
        "caller",
        [],
        [
            EdgeAssertion("Radium", "Marie Curie", "Discovered By"),
            EdgeAssertion("Marie Curie", "Warsaw", "BORN-IN"),
            EdgeAssertion("Radium", "Element 88", "same_as"),
            EdgeAssertion("Element 88", "Radium", "same_as"),
        ],
    )

    assert await edges(cypher) == {
        ("marie_curie", "discovered", "radium", "ASSERTED", 1.0),
        ("marie_curie", "born_in", "warsaw", "ASSERTED", 1.0),
        ("element_88", "same_as", "radium", "ASSERTED", 1.0),
    }
    with pytest.raises(InvalidInput, match="discovered"):
        await upsert_graph(database, "caller", [], [EdgeAssertion("a", "b", "discoverd")])


@pytest.mark.parametrize(
    ("span", "segment", "verified", "chars", "text"),
    [
        ("Marie Curie discovered Radium", SEGMENT, True, (0, 29), "Marie Curie discovered Radium"),
        ("Marie Curie found Radium", SEGMENT, False, (None, None), ""),
        ("Marie Curie discovered Radium", None, False, (None, None), ""),
        (None, None, False, (None, None), ""),
    ],
)
async def test_evidence_is_looked_for_in_its_segment(
    database: Database,
    cypher: Cypher,
    span: str | None,
    segment: str | None,
    verified: bool,
    chars: tuple[int | None, int | None],
    text: str,
) -> None:
    await upsert_documents(database, [TEXT])

    await upsert_graph(
        database, "caller", [], [dataclasses.replace(RADIUM, evidence_span=span, segment_id=segment, confidence=1)]
    )

    [row] = await cypher(
        "MATCH (:Document {source_doc_id: 'caller'})-[:HAS_SEGMENT]->(s)-[:HAS_MENTION]->(m) "
        "WHERE m.edge_id IS NOT NULL RETURN m.verified AS verified, m.char_start AS start, m.char_end AS end, "
        "m.evidence_span AS span, s.text AS text"
    )
    assert row == {"verified": verified, "start": chars[0], "end": chars[1], "span": span, "text": text}
    # The text states it, too, and more strongly.
    assert await edges(cypher) == {("marie_curie", "discovered", "radium", "EXTRACTED", 1.0)}


async def test_a_segment_that_is_not_there_can_not_be_cited(database: Database, cypher: Cypher) -> None:
    with pytest.raises(NotFound, match=r"b\.txt#L1"):
        await upsert_graph(
            database, "caller", [MARIE], [dataclasses.replace(RADIUM, evidence_span="x", segment_id="b.txt#L1")]
        )

    assert await nothing_left(cypher)


async def test_facts_of_a_moment_are_told_apart_by_it_and_others_are_not(database: Database, cypher: Cypher) -> None:
    moments = [
        dataclasses.replace(RADIUM, ts_start=start, ts_end=start + 1, modality=modality)
        for start in (0, 5.5)
        for modality in (Modality.TRANSCRIPT, Modality.TEXT)
    ]

    asserted = await upsert_graph(database, "caller", [], moments)

    assert asserted.edges == 3
    rows = await cypher("MATCH (m:Mention) WHERE m.edge_id IS NOT NULL RETURN m.ts_start AS a, m.ts_end AS b")
    assert sorted((row["a"], row["b"]) for row in rows) == [(0, 1), (0, 1), (5.5, 6.5), (5.5, 6.5)]


@pytest.mark.parametrize(
    ("nodes", "edges", "match"),
    [
        ([NodeAssertion(" ")], [], "blank"),
        ([NodeAssertion("a", aliases=("",))], [], "blank"),
        ([NodeAssertion("x" * 10_000)], [], "characters"),
        ([NodeAssertion("\ud800")], [], "surrogate"),
        ([NodeAssertion("a", "persn")], [], "person"),
        ([], [dataclasses.replace(RADIUM, source="\u00a0")], "blank"),
        ([], [dataclasses.replace(RADIUM, confidence=math.nan)], "confidence"),
        ([], [dataclasses.replace(RADIUM, confidence=1.1)], "confidence"),
        ([], [dataclasses.replace(RADIUM, confidence=-0.1)], "confidence"),
        ([], [dataclasses.replace(RADIUM, ts_start=2, ts_end=1)], "ends"),
        ([], [dataclasses.replace(RADIUM, ts_end=1)], "ends"),
        ([], [dataclasses.replace(RADIUM, ts_start=math.inf)], "time"),
        ([], [dataclasses.replace(RADIUM, ts_start=-1)], "time"),
        ([], [dataclasses.replace(RADIUM, relation="CALLS]->() DETACH DELETE (n) //")], "relation"),
        ([NodeAssertion("a")] * 10_001, [], "10,000"),
    ],
)
async def test_what_can_not_be_stated_is_refused_before_any_write(
    database: Database, cypher: Cypher, nodes: list[NodeAssertion], edges: list[EdgeAssertion], match: str
) -> None:
    with pytest.raises(InvalidInput, match=match):
        await upsert_graph(database, "caller", [MARIE, *nodes], [RADIUM, *edges])

    assert await nothing_left(cypher)


@pytest.mark.parametrize("document_id", ["", " ", "a\nb", "x" * 501])
async def test_a_document_id_is_a_plain_name(database: Database, document_id: str) -> None:
    with pytest.raises(InvalidInput, match="document id"):
        await upsert_graph(database, document_id, [MARIE], [])


async def test_the_id_of_an_indexed_file_is_its_own(database: Database) -> None:
    await upsert_documents(database, [TEXT])
    before = await get_graph_hash(database)

    with pytest.raises(Conflict, match=r"a\.txt"):
        await upsert_graph(database, "a.txt", [MARIE], [])

    assert await get_graph_hash(database) == before


async def test_hostile_names_are_plain_data(database: Database, cypher: Cypher) -> None:
    names = ["`}) DETACH DELETE n //", "\\u0060", "a'b\"c\nd", "\x00", "東京", "{{x}}", "🙂", "$name"]

    await upsert_graph(
        database, "caller", [NodeAssertion(name) for name in names], [EdgeAssertion(names[0], names[1], "wrote")]
    )

    rows = await cypher("MATCH (n:Node) RETURN n.name AS name")
    assert {row["name"] for row in rows} == set(names)


async def test_ends_are_ids_or_names_and_never_a_guess(database: Database, cypher: Cypher) -> None:
    await upsert_documents(database, [document("t.txt", alone=("one", "two", "three"))])
    for node_id, name, new in [
        ("one", "run", "a.py::run"),
        ("two", "run", "b.py::run"),
        ("three", "Mailer", "m.py::Mailer"),
    ]:
        await cypher(
            "MATCH (n:Node {node_id: $node_id}) SET n.node_id = $new, n.name = $name, n.name_key = toLower($name)",
            node_id=node_id,
            name=name,
            new=new,
        )

    with pytest.raises(AmbiguousName) as failure:
        await upsert_graph(database, "caller", [], [EdgeAssertion("Ada", "run", "wrote")])
    assert [candidate.node_id for candidate in failure.value.candidates] == ["a.py::run", "b.py::run"]

    wrote = [EdgeAssertion("Ada", end, "wrote") for end in ("b.py::run", "mailer", "a.py::run", "new thing")]
    await upsert_graph(database, "caller", [], wrote)
    assert {edge[2] for edge in await edges(cypher)} == {"b.py::run", "m.py::Mailer", "a.py::run", "new_thing"}
    await upsert_graph(database, "caller", [NodeAssertion("run")], [EdgeAssertion("Ada", "run", "studied")])
    assert ("ada", "studied", "run", "ASSERTED", 1.0) in await edges(cypher)


FIRST = [NodeAssertion("marie curie", description="Chemist.", aliases=("M.C.",))]
SECOND = [NodeAssertion("Marie Curie", "person")]


async def test_a_declaration_decides_and_else_all_statements_do_in_whatever_order(
    database: Database, cypher: Cypher
) -> None:
    text = document("t.txt", ("Marie Curie", "discovered", "Radium"), kind="concept")
    writes = {
        "one": lambda: upsert_graph(database, "one", FIRST, []),
        "two": lambda: upsert_graph(database, "two", SECOND, [RADIUM]),
        "text": lambda: upsert_documents(database, [text]),
    }
    seen: dict[str, set[tuple[str, str]]] = {"all": set(), "stated": set(), "nothing": set()}
    for order in itertools.permutations(writes):
        await cypher.clear()
        for name in order:
            await writes[name]()
        seen["all"].add((await get_graph_hash(database), (await get_node(database, "Marie Curie")).kind))
        await delete_documents(database, [DocumentId("t.txt")])
        shown = await get_node(database, "Marie Curie")
        seen["stated"].add((await get_graph_hash(database), f"{shown.name} {shown.kind} {shown.description}"))
        await delete_documents(database, [DocumentId("one"), DocumentId("two")])
        seen["nothing"].add((await get_graph_hash(database), ""))

    assert [len(outcomes) for outcomes in seen.values()] == [1, 1, 1]
    assert next(iter(seen["all"]))[1] == "concept"
    assert next(iter(seen["stated"]))[1] == "marie curie person Chemist."
    await cypher.clear()
    for name in ("one", "two"):
        await writes[name]()
    assert await get_graph_hash(database) == next(iter(seen["stated"]))[0]


async def test_a_text_that_no_longer_declares_a_node_gives_it_back_to_the_caller(
    database: Database, cypher: Cypher
) -> None:
    await upsert_graph(database, "caller", [MARIE], [])
    stated = await get_node(database, "Marie Curie")
    await upsert_documents(database, [TEXT])
    assert (await get_node(database, "Marie Curie")).kind == "entity"

    await upsert_documents(database, [document("a.txt", alone=("Radium",))])

    assert await get_node(database, "Marie Curie") == stated
    assert await cypher("MATCH (n:Node {node_id: 'marie_curie'}) RETURN labels(n) AS l") == [{"l": ["Node", "Person"]}]


async def test_callers_at_once_lose_nothing_and_see_no_passing_error(database: Database, cypher: Cypher) -> None:
    async def caller(number: int) -> None:
        for turn in range(4):
            nodes = [NodeAssertion(f"N{n}", aliases=(f"alias {number}",)) for n in range(5)]
            facts = [EdgeAssertion(f"N{n}", f"N{(n + turn) % 5}", "contains") for n in range(5)]
            await upsert_graph(database, f"caller {number % 3}", nodes, facts)

    async def writer() -> None:
        for turn in range(4):
            await upsert_documents(database, [document(f"{turn}.txt", ("N0", "contains", "N1"), alone=("N2",))])
            await delete_documents(database, [DocumentId(f"{turn}.txt")])

    await asyncio.gather(*(caller(number) for number in range(6)), writer())
    together = await get_graph_hash(database)

    await cypher.clear()
    for number in range(6):
        await caller(number)
    assert await get_graph_hash(database) == together


async def test_portions_of_statements_make_no_difference(
    database: Database, cypher: Cypher, monkeypatch: pytest.MonkeyPatch
) -> None:
    facts = [EdgeAssertion(f"N{n}", f"N{n + 1}", "contains") for n in range(20)]
    await upsert_graph(database, "caller", [], facts)
    whole = await get_graph_hash(database)
    await cypher.clear()

    monkeypatch.setattr("graph.steps.ROWS_PER_STATEMENT", 3)
    assert await upsert_graph(database, "caller", [], facts) == Asserted(21, 20, "caller")

    assert await get_graph_hash(database) == whole
