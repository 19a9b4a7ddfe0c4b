"""Merging nodes and the exact way back, judged by the graph's hash."""

import asyncio
import dataclasses

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from graph.assertions import EdgeAssertion, NodeAssertion, upsert_graph
from graph.database import Database
from graph.errors import AmbiguousName, Conflict, InvalidInput, NotFound
from graph.fingerprint import get_graph_hash
from graph.lookup import fetch_named_nodes, get_node
from graph.merges import MergeRecord, find_merge, merge_nodes, undo_merge
from graph.model import DocumentId
from graph.rows import StoredDocument
from graph.store import delete_documents, upsert_documents
from tests.builders import document
from tests.raw import Cypher

RADIUM = ("Marie Curie", "discovered", "Radium")
POLONIUM = ("Maria Sklodowska", "discovered", "Polonium")
BORN = ("Maria Sklodowska", "born_in", "Warsaw")
SAME_FACT = ("Maria Sklodowska", "discovered", "Radium")
MARIE, MARIA = "marie_curie", "maria_sklodowska"


async def edges(cypher: Cypher) -> set[tuple[str, str, str]]:
    rows = await cypher("MATCH (s:Node)-[r]->(t:Node) RETURN s.node_id AS s, r.relation AS r, t.node_id AS t")
    assert len(rows) == len({tuple(row.values()) for row in rows})
    return {(row["s"], row["r"], row["t"]) for row in rows}


async def left_of_merges(cypher: Cypher) -> int:
    [row] = await cypher(
        "OPTIONAL MATCH (o:Origin) WITH count(o) AS origins "
        "OPTIONAL MATCH (m:Mention) WHERE m.origin_node IS NOT NULL OR m.origin_edge IS NOT NULL "
        "RETURN origins, count(m) AS mentions"
    )
    return row["origins"] + row["mentions"]


async def test_edges_and_aliases_move_and_parallel_edges_become_one(database: Database, cypher: Cypher) -> None:
    await upsert_documents(database, [document("a.txt", RADIUM), document("b.txt", POLONIUM, BORN, SAME_FACT)])

    record = await merge_nodes(database, MARIE, [MARIA])

    assert (record.into, record.merged, record.undone) == (MARIE, (MARIA,), False)
    assert await edges(cypher) == {
        (MARIE, "discovered", "radium"),
        (MARIE, "discovered", "polonium"),
        (MARIE, "born_in", "warsaw"),
    }
    shown = await get_node(database, MARIE)
    assert (shown.name, shown.aliases) == ("Marie Curie", ("Maria Sklodowska",))
    mentions = await cypher("MATCH (m:Mention {relation: 'discovered', target: 'radium'}) RETURN m.source AS source")
    assert mentions == [{"source": MARIE}, {"source": MARIE}]
    assert await find_merge(database, record.merge_id) == record


async def test_the_old_id_and_name_lead_to_the_node_that_is_shown(database: Database) -> None:
    await upsert_documents(database, [document("a.txt", RADIUM), document("b.txt", POLONIUM)])
    await merge_nodes(database, "Marie Curie", ["Maria Sklodowska"])

    for ref in (MARIA, "Maria Sklodowska", "MARIA  SKLODOWSKA", MARIE):
        assert (await get_node(database, ref)).node_id == MARIE
    assert [view.node_id for view in await fetch_named_nodes(database, "maria sklodowska")] == [MARIE]


async def test_undoing_gives_the_same_graph_back(database: Database, cypher: Cypher) -> None:
    await upsert_documents(database, [document("a.txt", RADIUM), document("b.txt", POLONIUM, BORN, SAME_FACT)])
    before = await get_graph_hash(database)
    record = await merge_nodes(database, MARIE, [MARIA])
    assert await get_graph_hash(database) != before

    undone = await undo_merge(database, record.merge_id)

    assert undone == dataclasses.replace(record, undone=True)
    assert await get_graph_hash(database) == before
    assert await left_of_merges(cypher) == 0
    assert (await get_node(database, MARIA)).node_id == MARIA


async def test_a_merge_outlives_its_sources_and_undoing_gives_what_they_say_now(
    database: Database, cypher: Cypher
) -> None:
    first = [document("a.txt", RADIUM), document("b.txt", POLONIUM, BORN)]
    later = [document("b.txt", SAME_FACT, kind="person"), document("c.txt", BORN)]
    await upsert_documents(database, first)
    record = await merge_nodes(database, MARIE, [MARIA])

    await upsert_documents(database, later)

    assert await edges(cypher) == {(MARIE, "discovered", "radium"), (MARIE, "born_in", "warsaw")}
    await undo_merge(database, record.merge_id)
    undone = await get_graph_hash(database)
    await cypher.clear()
    await upsert_documents(database, first)
    await upsert_documents(database, later)
    assert await get_graph_hash(database) == undone


async def test_a_merge_waits_for_nodes_that_no_source_speaks_of_at_present(database: Database, cypher: Cypher) -> None:
    both = [document("a.txt", RADIUM), document("b.txt", POLONIUM)]
    await upsert_documents(database, both)
    record = await merge_nodes(database, MARIE, [MARIA])
    merged = await get_graph_hash(database)

    await delete_documents(database, [DocumentId("a.txt")])
    shown = await get_node(database, MARIE)
    assert (shown.name, shown.aliases) == ("Maria Sklodowska", ())
    await delete_documents(database, [DocumentId("b.txt")])
    assert await cypher("MATCH (n:Node) RETURN n.node_id") == []
    await upsert_documents(database, both)

    assert await get_graph_hash(database) == merged
    await undo_merge(database, record.merge_id)
    assert await edges(cypher) == {(MARIE, "discovered", "radium"), (MARIA, "discovered", "polonium")}


async def test_deleting_a_document_takes_what_it_said_of_the_merged_node(database: Database, cypher: Cypher) -> None:
    documents = [document("a.txt", RADIUM), document("b.txt", SAME_FACT), document("c.txt", BORN)]
    await upsert_documents(database, documents)
    record = await merge_nodes(database, MARIE, [MARIA])

    await delete_documents(database, [DocumentId("a.txt"), DocumentId("b.txt")])

    assert await edges(cypher) == {(MARIE, "born_in", "warsaw")}
    await undo_merge(database, record.merge_id)
    assert await edges(cypher) == {(MARIA, "born_in", "warsaw")}
    undone = await get_graph_hash(database)
    await cypher.clear()
    await upsert_documents(database, documents[2:])
    assert await get_graph_hash(database) == undone


async def test_an_edge_within_a_group_becomes_a_loop_and_comes_back(database: Database, cypher: Cypher) -> None:
    await upsert_documents(database, [document("a.txt", ("Marie Curie", "same_as", "Maria Sklodowska"))])
    before = await get_graph_hash(database)

    record = await merge_nodes(database, MARIE, [MARIA])

    assert await edges(cypher) == {(MARIE, "same_as", MARIE)}
    await undo_merge(database, record.merge_id)
    assert await get_graph_hash(database) == before


@pytest.mark.parametrize("first_undone", [0, 1])
async def test_merges_upon_merges_are_undone_in_any_order(database: Database, first_undone: int) -> None:
    facts = [("A", "contains", "x"), ("B", "contains", "x"), ("C", "part_of", "y"), ("B", "same_as", "C")]
    await upsert_documents(database, [document(f"{n}.txt", fact) for n, fact in enumerate(facts)])
    before = await get_graph_hash(database)
    records = [await merge_nodes(database, "a", ["b"]), await merge_nodes(database, "c", ["a"])]
    assert (await get_node(database, "b")).node_id == "c"

    await undo_merge(database, records.pop(first_undone).merge_id)
    between = {ref: (await get_node(database, ref)).node_id for ref in "abc"}
    await undo_merge(database, records[0].merge_id)

    assert between == ({"a": "c", "b": "b", "c": "c"} if first_undone == 0 else {"a": "a", "b": "a", "c": "c"})
    assert await get_graph_hash(database) == before


async def test_the_same_merge_again_is_the_same_merge(database: Database) -> None:
    await upsert_documents(database, [document("a.txt", alone=("A", "B", "C"))])
    record = await merge_nodes(database, "a", ["b", "c"])
    merged = await get_graph_hash(database)

    assert await merge_nodes(database, "a", ["c", "b", "a"]) == record
    assert await get_graph_hash(database) == merged
    undone = await undo_merge(database, record.merge_id)
    assert await undo_merge(database, record.merge_id) == undone


async def test_what_can_not_be_merged_is_refused_and_changes_nothing(database: Database, cypher: Cypher) -> None:
    await upsert_documents(
        database,
        [
            document("a.txt", alone=("A", "B", "C")),
            document("p.txt", alone=("Ada",), kind="person"),
            document("q.txt", alone=("Paris",), kind="location"),
        ],
    )
    await cypher("MATCH (n:Node {node_id: 'c'}) SET n.name_key = 'b', n.name = 'B'")
    await cypher("MATCH (n:Node {node_id: 'b'}) SET n.node_id = 'other'")
    before = await get_graph_hash(database)

    with pytest.raises(InvalidInput, match="nothing to merge"):
        await merge_nodes(database, "a", ["A"])
    with pytest.raises(InvalidInput):
        await merge_nodes(database, "a", [])
    with pytest.raises(NotFound, match="nobody"):
        await merge_nodes(database, "a", ["nobody"])
    with pytest.raises(AmbiguousName):
        await merge_nodes(database, "a", ["B"])
    with pytest.raises(Conflict, match="location and a person"):
        await merge_nodes(database, "ada", ["paris"])
    with pytest.raises(NotFound, match="no merge"):
        await undo_merge(database, "unknown")
    assert await find_merge(database, "unknown") is None
    assert await get_graph_hash(database) == before

    await merge_nodes(database, "ada", ["a"])
    with pytest.raises(Conflict, match="already"):
        await merge_nodes(database, "paris", ["a"])
    with pytest.raises(Conflict, match="already"):
        await merge_nodes(database, "ada", ["a", "c"])


async def test_kinds_follow_the_node_merged_into(database: Database, cypher: Cypher) -> None:
    await upsert_documents(
        database, [document("a.txt", alone=("A",)), document("p.txt", alone=("Ada",), kind="person")]
    )
    record = await merge_nodes(database, "a", ["ada"])
    assert await cypher("MATCH (n:Node) RETURN labels(n) AS labels") == [{"labels": ["Node", "Entity"]}]

    await undo_merge(database, record.merge_id)

    rows = await cypher("MATCH (n:Node) RETURN n.node_id AS id, labels(n) AS labels ORDER BY id")
    assert rows == [{"id": "a", "labels": ["Node", "Entity"]}, {"id": "ada", "labels": ["Node", "Person"]}]


async def test_two_merges_of_one_node_at_once_leave_one(database: Database) -> None:
    await upsert_documents(database, [document("a.txt", alone=("A", "B", "C"))])

    outcomes = await asyncio.gather(
        merge_nodes(database, "a", ["c"]), merge_nodes(database, "b", ["c"]), return_exceptions=True
    )

    assert sorted(type(outcome).__name__ for outcome in outcomes) == ["Conflict", "MergeRecord"]


async def test_merges_among_writers_lose_nothing(database: Database, cypher: Cypher) -> None:
    documents = [
        document(f"{n}.txt", ("A", "contains", f"x{n % 3}"), ("B", "contains", f"x{n % 3}"), ("A", "same_as", "B"))
        for n in range(12)
    ]
    await upsert_documents(database, documents[:2])
    record: list[MergeRecord] = []

    async def write(some: list[StoredDocument]) -> None:
        for one in some:
            await upsert_documents(database, [one])

    async def merge() -> None:
        for _ in range(3):
            record.append(await merge_nodes(database, "a", ["b"]))
            await undo_merge(database, record[-1].merge_id)
        record.append(await merge_nodes(database, "a", ["b"]))

    await asyncio.gather(write(documents[2:7]), merge(), write(documents[7:]), delete_documents(database, []))

    merged = await get_graph_hash(database)
    await undo_merge(database, record[-1].merge_id)
    undone = await get_graph_hash(database)
    await cypher.clear()
    await upsert_documents(database, documents)
    assert await get_graph_hash(database) == undone
    await merge_nodes(database, "a", ["b"])
    assert await get_graph_hash(database) == merged


NAMES = "ABCDE"
facts = st.tuples(st.sampled_from(NAMES), st.sampled_from(["contains", "same_as", "wrote"]), st.sampled_from(NAMES))
steps = st.one_of(
    st.tuples(st.just("write"), st.sampled_from("123"), st.lists(facts, max_size=3)),
    st.tuples(st.just("state"), st.sampled_from("45"), st.lists(facts, min_size=1, max_size=2), st.sampled_from(NAMES)),
    st.tuples(st.just("delete"), st.sampled_from("12345")),
    st.tuples(st.just("merge"), st.sampled_from(NAMES), st.sampled_from(NAMES)),
    st.tuples(st.just("undo"), st.integers(0, 5)),
)


class Run:
    """A graph's history, told so that a fresh build can be made of what is left."""

    def __init__(self, database: Database) -> None:
        self.database = database
        self.merges: list[MergeRecord] = []
        self.documents: dict[str, StoredDocument] = {}
        self.stated: dict[str, list[tuple[list[NodeAssertion], list[EdgeAssertion]]]] = {}

    async def take(self, step: tuple) -> None:
        await getattr(self, step[0])(*step[1:])

    async def write(self, name: str, stated: list[tuple[str, str, str]]) -> None:
        self.documents[name] = document(f"{name}.txt", *dict.fromkeys(stated))
        await upsert_documents(self.database, [self.documents[name]])

    async def state(self, name: str, stated: list[tuple[str, str, str]], node: str) -> None:
        nodes = [NodeAssertion(node, "concept", f"{node} as of {name}", (f"{node}-{name}",))]
        edges = [EdgeAssertion(source, target, relation, confidence=0.5) for source, relation, target in stated]
        self.stated.setdefault(name, []).append((nodes, edges))
        await upsert_graph(self.database, f"{name}.txt", nodes, edges)

    async def delete(self, name: str) -> None:
        self.documents.pop(name, None)
        self.stated.pop(name, None)
        await delete_documents(self.database, [DocumentId(f"{name}.txt")])

    async def merge(self, into: str, other: str) -> None:
        try:
            record = await merge_nodes(self.database, into.lower(), [other.lower()])
        except (NotFound, InvalidInput, Conflict):
            return
        if record not in self.merges:
            self.merges.append(record)

    async def undo(self, number: int) -> None:
        if number < len(self.merges):
            await undo_merge(self.database, self.merges.pop(number).merge_id)

    async def rebuild(self, cypher: Cypher) -> tuple[str, str]:
        """The hashes of a fresh build with the merges that are left, and without any."""
        await cypher.clear()
        # All nodes there to be merged, then only what is left.
        await upsert_documents(self.database, [document("all.txt", alone=tuple(NAMES))])
        again = [await merge_nodes(self.database, record.into, record.merged) for record in self.merges]
        for name in sorted(self.documents, reverse=True):
            await upsert_documents(self.database, [self.documents[name]])
        for name in sorted(self.stated, reverse=True):
            for nodes, edges in self.stated[name]:
                await upsert_graph(self.database, f"{name}.txt", nodes, edges)
        await delete_documents(self.database, [DocumentId("all.txt")])
        merged = await get_graph_hash(self.database)
        for record in again:
            await undo_merge(self.database, record.merge_id)
        assert await left_of_merges(cypher) == 0
        undone = await get_graph_hash(self.database)
        return merged, undone


@settings(
    max_examples=20,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(history=st.lists(steps, min_size=3, max_size=14))
async def test_any_history_equals_a_fresh_build_with_the_merges_that_are_left(
    connected: Database, cypher: Cypher, history: list[tuple]
) -> None:
    await cypher.clear()
    run = Run(connected)
    for step in history:
        await run.take(step)
    merged = await get_graph_hash(connected)
    for record in run.merges:
        await undo_merge(connected, record.merge_id)
    undone = await get_graph_hash(connected)

    assert await run.rebuild(cypher) == (merged, undone)
