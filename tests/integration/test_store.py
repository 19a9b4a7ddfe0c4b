"""The store on a real Neo4j: support, retraction, atomicity, concurrency, and the graph's hash."""

import asyncio
import dataclasses

import pytest

from graph.database import Database, Transaction
from graph.errors import DatabaseFailed
from graph.evidence import EvidenceMismatch
from graph.fingerprint import get_graph_hash
from graph.model import DocumentId, Provenance
from graph.stats import get_stats
from graph.store import delete_documents, fetch_document_states, upsert_documents
from tests.builders import document
from tests.raw import Cypher

RADIUM = ("Marie Curie", "discovered", "Radium")
POLONIUM = ("Marie Curie", "discovered", "Polonium")
BORN = ("Marie Curie", "born_in", "Warsaw")


async def edges(cypher: Cypher) -> set[tuple[str, str, str]]:
    rows = await cypher("MATCH (s:Node)-[r]->(t:Node) RETURN s.name AS s, r.relation AS r, t.name AS t")
    return {(row["s"], row["r"], row["t"]) for row in rows}


async def names(cypher: Cypher) -> set[str]:
    return {row["name"] for row in await cypher("MATCH (n:Node) RETURN n.name AS name")}


async def test_a_document_becomes_nodes_edges_and_mentions(database: Database, cypher: Cypher) -> None:
    await upsert_documents(database, [document("a.txt", RADIUM, BORN)])

    assert await edges(cypher) == {RADIUM, BORN}
    assert await names(cypher) == {"Marie Curie", "Radium", "Warsaw"}
    stats = await get_stats(database)
    assert (stats.documents, stats.nodes, stats.edges, stats.mentions) == (1, 3, 2, 5)
    states = await fetch_document_states(database, "folder")
    assert states[DocumentId("a.txt")].status == "DONE"


async def test_a_fact_of_two_texts_lives_until_the_second_goes(database: Database, cypher: Cypher) -> None:
    await upsert_documents(database, [document("a.txt", RADIUM, BORN), document("b.txt", RADIUM)])

    await delete_documents(database, [DocumentId("a.txt")])

    assert await edges(cypher) == {RADIUM}
    [row] = await cypher("MATCH (m:Mention) WHERE m.edge_id IS NOT NULL RETURN count(*) AS mentions")
    assert row["mentions"] == 1
    await delete_documents(database, [DocumentId("b.txt")])
    assert await names(cypher) == set()
    [row] = await cypher("MATCH (n) WHERE NOT n:Migration AND NOT n:MigrationLock RETURN count(*) AS left")
    assert row["left"] == 0


async def test_a_new_text_takes_back_what_the_old_one_said(database: Database, cypher: Cypher) -> None:
    await upsert_documents(database, [document("a.txt", RADIUM, BORN)])

    await upsert_documents(database, [document("a.txt", POLONIUM)])

    assert await edges(cypher) == {POLONIUM}
    assert await names(cypher) == {"Marie Curie", "Polonium"}


async def test_the_strongest_mention_decides_an_edge_and_its_going_is_noticed(
    database: Database, cypher: Cypher
) -> None:
    weak = document("weak.txt", RADIUM, confidence=0.4, provenance=Provenance.INFERRED)
    strong = document("strong.txt", RADIUM, confidence=0.9)
    query = "MATCH (:Node)-[r]->(:Node) RETURN r.confidence AS confidence, r.provenance AS provenance"

    await upsert_documents(database, [weak, strong])
    assert await cypher(query) == [{"confidence": 0.9, "provenance": "EXTRACTED"}]

    await delete_documents(database, [DocumentId("strong.txt")])
    assert await cypher(query) == [{"confidence": 0.4, "provenance": "INFERRED"}]


async def test_a_changed_kind_changes_the_label(database: Database, cypher: Cypher) -> None:
    await upsert_documents(database, [document("a.txt", alone=("Ada",))])

    await upsert_documents(database, [document("a.txt", alone=("Ada",), kind="person")])

    [row] = await cypher("MATCH (n:Node) RETURN labels(n) AS labels, n.kind AS kind")
    assert (set(row["labels"]), row["kind"]) == ({"Node", "Person"}, "person")


async def test_order_and_batches_do_not_change_the_hash(database: Database, cypher: Cypher) -> None:
    documents = [document("a.txt", RADIUM), document("b.txt", RADIUM, BORN), document("c.txt", alone=("Ada",))]
    await upsert_documents(database, documents)
    together = await get_graph_hash(database)
    await cypher.clear()
    assert await get_graph_hash(database) == f"{0:064x}"

    for one in reversed(documents):
        await upsert_documents(database, [one])

    assert await get_graph_hash(database) == together


@pytest.mark.parametrize(
    "change",
    [
        "MATCH (n:Node {name: 'Radium'}) SET n.description = 'x'",
        "MATCH (n:Node {name: 'Radium'}) SET n:Person",
        "MATCH (:Node)-[r]->(:Node) SET r.confidence = 0.5",
        "MATCH (m:Mention) WITH m LIMIT 1 SET m.char_start = 99",
        "MATCH (m:Mention)-[o:OF]->() WITH o LIMIT 1 DELETE o",
    ],
)
async def test_any_change_changes_the_hash(database: Database, cypher: Cypher, change: str) -> None:
    await upsert_documents(database, [document("a.txt", RADIUM)])
    before = await get_graph_hash(database)

    await cypher(change)

    assert await get_graph_hash(database) != before


async def test_a_failure_in_the_middle_leaves_no_half_document(
    database: Database, cypher: Cypher, monkeypatch: pytest.MonkeyPatch
) -> None:
    await upsert_documents(database, [document("a.txt", RADIUM)])
    before = await get_graph_hash(database)
    ran = 0
    run = Transaction.run

    async def fail_late(self: Transaction, statement, **params):
        nonlocal ran
        ran += 1
        if statement.name == "documents/create_edge_mentions":
            raise DatabaseFailed("the connection went")
        return await run(self, statement, **params)

    monkeypatch.setattr(Transaction, "run", fail_late)
    with pytest.raises(DatabaseFailed):
        await upsert_documents(database, [document("a.txt", POLONIUM), document("b.txt", BORN)])

    assert ran > 5
    assert await get_graph_hash(database) == before
    assert await edges(cypher) == {RADIUM}
    assert set(await fetch_document_states(database, "folder")) == {"a.txt"}


async def test_evidence_that_the_text_does_not_have_is_refused(database: Database, cypher: Cypher) -> None:
    good = document("a.txt", RADIUM)
    mention = dataclasses.replace(good.result.mentions[0], evidence_span="Marie Curia")
    bad = dataclasses.replace(good, result=dataclasses.replace(good.result, mentions=(mention,)))

    with pytest.raises(EvidenceMismatch, match=r"a\.txt.*Marie Curia"):
        await upsert_documents(database, [bad])

    assert await names(cypher) == set()


async def test_writers_at_once_share_nodes_without_an_error(database: Database, cypher: Cypher) -> None:
    shared = [f"Name {number}" for number in range(50)]

    def story(worker: int, number: int):
        facts = [
            (shared[(worker * 7 + number + step) % 50], "followed_by", shared[(worker + number * 3 + step * 11) % 50])
            for step in range(8)
        ]
        return document(f"{worker}/{number}.txt", *facts, alone=tuple(shared))

    async def write(worker: int) -> None:
        for number in range(20):
            await upsert_documents(database, [story(worker, number)])

    await asyncio.gather(*(write(worker) for worker in range(8)))
    concurrent = await get_graph_hash(database)
    stats = await get_stats(database)
    assert (stats.documents, stats.nodes) == (160, 50)

    await cypher.clear()
    await upsert_documents(database, [story(worker, number) for worker in range(8) for number in range(20)])
    assert await get_graph_hash(database) == concurrent


async def test_writers_and_deleters_at_once_end_in_what_is_left(database: Database, cypher: Cypher) -> None:
    async def churn(worker: int) -> None:
        for _ in range(12):
            await upsert_documents(database, [document(f"{worker}.txt", RADIUM, BORN)])
            await delete_documents(database, [DocumentId(f"{worker}.txt")])
        if worker == 0:
            await upsert_documents(database, [document("0.txt", RADIUM)])

    await asyncio.gather(*(churn(worker) for worker in range(6)))

    assert await edges(cypher) == {RADIUM}
    assert await names(cypher) == {"Marie Curie", "Radium"}
