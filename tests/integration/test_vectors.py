"""Vectors in a real graph: what has none gets one, those of two models are never mixed, filters hide nothing."""

import asyncio
import threading
from dataclasses import replace

import pytest

from graph.answers import Degradation, NodeHit, SearchMode
from graph.database import Database, vector_values
from graph.errors import InvalidInput
from graph.filters import Or, Test
from graph.ranking import MMR, Candidate, Reranker
from graph.search import search_nodes
from graph.segments import search_segments
from graph.store import delete_documents, upsert_documents
from graph.vectors import (
    QueryVector,
    VectorsMismatch,
    VectorsRefused,
    embed_missing,
    ensure_vectors,
    find_vectors,
    reset_vectors,
)
from tests.builders import document
from tests.embedders import HashingEmbedder
from tests.raw import Cypher


async def embed(database: Database, embedder: HashingEmbedder, **options) -> int:
    return await embed_missing(database, embedder.embed, model=embedder.model, dimension=embedder.dimension, **options)


def ask(embedder: HashingEmbedder, query: str) -> QueryVector:
    return QueryVector(embedder.model, tuple(embedder.embed([query])[0]))


async def find(database: Database, query: str, embedder: HashingEmbedder, **options) -> list[NodeHit]:
    result = await search_nodes(database, query, vector=ask(embedder, query), **options)
    assert result.degraded == ()
    return list(result.hits)


async def test_all_that_has_no_vector_gets_one(database: Database, cypher: Cypher) -> None:
    await upsert_documents(database, [document("a.txt", ("Radium", "discovered_in", "Paris"), alone=("Curie",))])

    assert await embed(database, HashingEmbedder()) == 4

    rows = await cypher("MATCH (n) WHERE n:Node OR n:Segment RETURN size(n.embedding) AS n, size(n.embedding_of) AS of")
    assert rows == [{"n": 64, "of": 16}] * 4
    assert (await find_vectors(database)).dimension == 64


async def test_doing_it_again_makes_nothing(database: Database) -> None:
    await upsert_documents(database, [document("a.txt", alone=("Curie",))])
    await embed(database, HashingEmbedder())
    again = HashingEmbedder()

    assert await embed(database, again) == 0
    assert again.texts == []


async def test_only_what_changed_is_embedded_anew(database: Database, cypher: Cypher) -> None:
    await upsert_documents(
        database, [document("a.txt", alone=("Curie", "Radium")), document("b.txt", alone=("Paris",))]
    )
    await embed(database, HashingEmbedder())
    changed = document("b.txt", alone=("Paris", "Seine"))
    paris = next(node for node in changed.result.nodes if node.name == "Paris")
    told = tuple(replace(node, description="A city") if node is paris else node for node in changed.result.nodes)
    await upsert_documents(database, [replace(changed, result=replace(changed.result, nodes=told))])
    again = HashingEmbedder()

    assert await embed(database, again) == 3
    assert sorted(again.texts) == ["Paris.\nSeine.", "Paris: A city", "Seine"]


async def test_what_says_nothing_is_passed_over_once(database: Database, cypher: Cypher) -> None:
    await upsert_documents(database, [document("a.txt", alone=("Curie",))])
    await cypher("MATCH (s:Segment) SET s.text = ' '")
    embedder = HashingEmbedder()

    assert await embed(database, embedder) == 1
    assert await embed(database, embedder) == 0
    assert embedder.texts == ["Curie"]
    assert (await search_segments(database, "curie", vector=ask(embedder, "curie"))).degraded == ()


async def test_it_stops_when_it_is_told_and_goes_on_from_there(database: Database, cypher: Cypher) -> None:
    await upsert_documents(database, [document("a.txt", alone=tuple(f"name{number}" for number in range(600)))])
    cancel = threading.Event()
    told: list[int] = []

    def tell(done: int) -> None:
        told.append(done)
        cancel.set()

    first = await embed(database, HashingEmbedder(), cancel=cancel, on_progress=tell)
    [row] = await cypher("MATCH (n:Node) WHERE n.embedding IS NOT NULL RETURN count(*) AS n")

    assert 0 < first < 601
    assert told[-1] == first == row["n"]
    assert first + await embed(database, HashingEmbedder()) == 601


async def test_two_at_once_agree(database: Database, cypher: Cypher) -> None:
    await upsert_documents(database, [document("a.txt", alone=tuple(f"name{number}" for number in range(50)))])

    await asyncio.gather(*(embed(database, HashingEmbedder()) for _ in range(3)))

    assert await embed(database, HashingEmbedder()) == 0
    assert len(await find(database, "name7", HashingEmbedder(), mode=SearchMode.VECTOR, top_k=50)) == 50


@pytest.mark.parametrize("dimension", [768, 384])
async def test_another_model_is_refused_with_both_numbers_or_names(database: Database, dimension: int) -> None:
    await ensure_vectors(database, model="small", dimension=384)
    other = HashingEmbedder(dimension, "large")

    with pytest.raises(VectorsMismatch) as failed:
        await embed(database, other)

    assert all(part in str(failed.value) for part in (("384", "768") if dimension == 768 else ("small", "large")))
    assert other.texts == []
    await embed(database, HashingEmbedder(384, "small"))


async def test_words_answer_when_the_model_is_another(database: Database) -> None:
    await upsert_documents(database, [document("a.txt", alone=("Curie", "Radium"))])
    await embed(database, HashingEmbedder(384, "small"))
    vector = ask(HashingEmbedder(768, "large"), "curie")

    for mode in (SearchMode.HYBRID, SearchMode.VECTOR):
        result = await search_nodes(database, "curie", mode=mode, vector=vector)
        texts = await search_segments(database, "curie", mode=mode, vector=vector)
        assert [(hit.node.name, hit.text_rank, hit.vector_rank) for hit in result.hits] == [("Curie", 1, None)]
        assert [hit.text_rank for hit in texts.hits] == [1]
        for degraded in (result.degraded, texts.degraded):
            assert [part.part for part in degraded] == ["vector"]
            assert "384" in degraded[0].reason
            assert "768" in degraded[0].reason


@pytest.mark.parametrize("fault", [[0.0] * 4, [float("nan")] * 4, [float("inf"), 0.0, 0.0, 0.0], []])
def test_a_query_vector_that_says_nothing_is_refused(fault: list[float]) -> None:
    with pytest.raises(InvalidInput, match="search text"):
        QueryVector("model", tuple(fault))


@pytest.mark.parametrize(
    ("fault", "said"),
    [([0.0] * 64, "all zero"), ([float("nan")] * 64, "NaN"), ([1.0] * 63, "63 numbers instead of 64")],
)
async def test_a_vector_that_says_nothing_is_not_kept(
    database: Database, cypher: Cypher, fault: list[float], said: str
) -> None:
    await upsert_documents(database, [document("a.txt", alone=("Curie",))])

    with pytest.raises(VectorsRefused, match=said):
        await embed_missing(database, lambda texts: [fault for _ in texts], model="odd", dimension=64)

    assert await cypher("MATCH (n) WHERE n.embedding IS NOT NULL RETURN n") == []


async def test_without_vectors_words_answer_and_it_is_said(database: Database) -> None:
    await upsert_documents(database, [document("a.txt", alone=("Curie",))])
    embedder = HashingEmbedder()
    cases = (None, Degradation("vector", "the model broke"), ask(embedder, "curie"))

    reasons = [(await search_nodes(database, "curie", vector=vector)).degraded[0].reason for vector in cases]
    assert [reason.partition(":")[0] for reason in reasons] == [
        "No embedding model is set up",
        "the model broke",
        "The nodes of this graph have no vectors yet",
    ]
    assert (await search_nodes(database, "curie", mode=SearchMode.TEXT)).degraded == ()


async def test_what_has_no_vector_yet_is_counted(database: Database) -> None:
    embedder = HashingEmbedder()
    await upsert_documents(database, [document("a.txt", alone=("Curie", "Radium"))])
    await embed(database, embedder)
    await upsert_documents(database, [document("b.txt", alone=("Curium",))])

    nodes = await search_nodes(database, "curium", vector=ask(embedder, "curium"))
    texts = await search_segments(database, "curium", vector=ask(embedder, "curium"))

    assert nodes.hits[0].node.name == "Curium"
    assert "1 of 3 nodes" in nodes.degraded[0].reason
    assert "1 of 2 segments" in texts.degraded[0].reason


async def test_a_hit_has_both_ranks_and_scores(database: Database) -> None:
    embedder = HashingEmbedder()
    await upsert_documents(database, [document("a.txt", alone=("red apple", "apple tree", "stone"))])
    await embed(database, embedder)

    hits = await find(database, "apple red", embedder)

    best = hits[0]
    assert best.node.name == "red apple"
    assert (best.text_rank, best.vector_rank) == (1, 1)
    assert best.score == pytest.approx(2 / 61)
    assert best.text_score > 0
    assert 0.5 < best.vector_score <= 1
    stone = hits[-1]
    assert (stone.node.name, stone.text_rank, stone.text_score) == ("stone", None, None)
    assert stone.vector_rank == 3


async def test_meaning_alone_finds_what_words_do_not(database: Database) -> None:
    embedder = HashingEmbedder()
    await upsert_documents(database, [document("a.txt", alone=("apple", "stone"))])
    await embed(database, embedder)

    result = await search_nodes(database, "fruit", mode=SearchMode.VECTOR, vector=ask(embedder, "apple"))
    texts = await search_segments(database, "fruit", mode=SearchMode.VECTOR, vector=ask(embedder, "apple"))

    assert [(hit.node.name, hit.text_rank) for hit in result.hits] == [("apple", None), ("stone", None)]
    assert result.hits[0].score == result.hits[0].vector_score
    assert [(hit.text_rank, hit.vector_rank) for hit in texts.hits] == [(None, 1)]


async def test_equal_vectors_come_in_the_order_of_ids(database: Database) -> None:
    embedder = HashingEmbedder()
    await upsert_documents(database, [document(f"t{number:02}.txt", alone=("same",)) for number in range(40)])
    await embed(database, embedder)

    result = await search_segments(database, "same", vector=ask(embedder, "same"), top_k=30)

    assert [hit.segment.document_id for hit in result.hits] == [f"t{number:02}.txt" for number in range(30)]
    assert result.truncated


async def test_an_exact_name_is_first_even_when_another_is_nearer(database: Database) -> None:
    embedder = HashingEmbedder()
    await upsert_documents(database, [document("a.txt", alone=("apple", "red apple"))])
    await embed(database, embedder)

    result = await search_nodes(database, "Apple", mode=SearchMode.VECTOR, vector=ask(embedder, "red apple"))

    assert [(hit.node.name, hit.exact_name, hit.vector_rank) for hit in result.hits] == [
        ("apple", True, 2),
        ("red apple", False, 1),
    ]


@pytest.fixture(scope="module")
async def crowd(connected: Database, cypher: Cypher) -> Database:
    """A thousand nodes nearer to `needle` than the three that filters let through."""
    await cypher.clear()
    near = document("near.txt", alone=tuple(f"needle n{number:04}" for number in range(1_000)), kind="concept")
    far = document("far.txt", alone=tuple(f"hay needle odd stack {number}" for number in range(3)), kind="person")
    await upsert_documents(connected, [near, far])
    await embed(connected, HashingEmbedder())
    return connected


@pytest.mark.parametrize(
    "where",
    [
        Test("kind", "eq", "person"),
        Test("name", "starts_with", "hay"),
        Test("name", "contains", "stack"),
        Test("document", "eq", "far.txt"),
        Or((Test("name", "ends_with", "stack 1"), Test("kind", "eq", "person"))),
    ],
)
async def test_a_filter_hides_no_match_behind_others(crowd: Database, where) -> None:
    hits = await find(crowd, "needle", HashingEmbedder(), where=where, mode=SearchMode.VECTOR, top_k=5)

    assert {hit.node.name for hit in hits} == {f"hay needle odd stack {number}" for number in range(3)}
    assert [hit.vector_rank for hit in hits] == [1, 2, 3]


async def test_a_filter_that_lets_much_through_answers_from_the_index(crowd: Database) -> None:
    plain = await find(crowd, "needle n0007", HashingEmbedder(), mode=SearchMode.VECTOR)
    filtered = await find(
        crowd, "needle n0007", HashingEmbedder(), mode=SearchMode.VECTOR, where=Test("kind", "eq", "concept")
    )

    assert plain[0].node.name == filtered[0].node.name == "needle n0007"


async def test_what_is_retracted_is_not_near(database: Database) -> None:
    embedder = HashingEmbedder()
    await upsert_documents(database, [document("a.txt", alone=("apple",)), document("b.txt", alone=("stone",))])
    await embed(database, embedder)

    await delete_documents(database, ["a.txt"])

    assert [hit.node.name for hit in await find(database, "apple", embedder)] == ["stone"]
    texts = await search_segments(database, "apple", vector=ask(embedder, "apple"))
    assert [hit.segment.document_id for hit in texts.hits] == ["b.txt"]


async def test_removed_vectors_can_be_made_anew_by_another_model(database: Database, cypher: Cypher) -> None:
    await upsert_documents(database, [document("a.txt", alone=("apple", "stone"))])
    await embed(database, HashingEmbedder(64, "small"))

    assert await reset_vectors(database) == 3
    assert await find_vectors(database) is None
    assert await cypher("MATCH (n) WHERE n.embedding IS NOT NULL OR n.embedding_of IS NOT NULL RETURN n") == []
    large = HashingEmbedder(96, "large")
    assert await embed(database, large) == 3
    assert (await find(database, "apple", large, mode=SearchMode.VECTOR))[0].node.name == "apple"


async def test_vectors_of_unknown_making_are_made_anew(database: Database, cypher: Cypher) -> None:
    await upsert_documents(database, [document("a.txt", alone=("apple",))])
    await embed(database, HashingEmbedder(32))
    await cypher("MATCH (s:VectorState) DELETE s")

    assert await embed(database, HashingEmbedder(48)) == 2
    [row] = await cypher("MATCH (n:Node) RETURN size(n.embedding) AS n")
    assert row["n"] == 48


async def test_lists_serve_where_the_server_knows_no_vectors(database: Database, cypher: Cypher) -> None:
    await upsert_documents(database, [document("a.txt", alone=("apple", "stone"))])
    embedder = HashingEmbedder()
    await ensure_vectors(database, model=embedder.model, dimension=embedder.dimension)
    await cypher("MATCH (s:VectorState) SET s.storage = 'lists'")

    assert await embed(database, embedder) == 3
    assert (await find(database, "apple", embedder, mode=SearchMode.VECTOR))[0].node.name == "apple"


async def test_the_numbers_that_were_sent_are_kept(database: Database, cypher: Cypher) -> None:
    await upsert_documents(database, [document("a.txt", alone=("red apple tree",))])
    embedder = HashingEmbedder()
    await embed(database, embedder)

    [row] = await cypher("MATCH (n:Node) RETURN n.embedding AS vector")

    assert vector_values(row["vector"]) == pytest.approx(embedder.embed(["red apple tree"])[0], abs=1e-6)


async def test_mmr_puts_what_is_new_before_what_was_said(database: Database) -> None:
    embedder = HashingEmbedder()
    await upsert_documents(database, [document("a.txt", alone=("red apple one", "one red apple", "red moon"))])
    await embed(database, embedder)
    vector = ask(embedder, "red apple")

    plain = await search_nodes(database, "red apple", mode=SearchMode.VECTOR, vector=vector)
    diverse = await search_nodes(database, "red apple", mode=SearchMode.VECTOR, vector=vector, reranker=MMR)
    texts = await search_segments(database, "red apple", vector=vector, reranker=MMR)

    assert [hit.node.name for hit in plain.hits][2] == "red moon"
    assert [hit.node.name for hit in diverse.hits][1] == "red moon"
    assert len(texts.hits) == 1


async def test_a_reranker_decides_the_order_but_not_over_exact_names(database: Database) -> None:
    await upsert_documents(database, [document("a.txt", alone=("apple", "apple pie", "apple tree"))])

    def backwards(query: str, candidates: list[Candidate]) -> list[int]:
        assert query == "apple"
        return sorted(range(len(candidates)), key=lambda number: candidates[number].text, reverse=True)

    result = await search_nodes(database, "apple", mode=SearchMode.TEXT, reranker=Reranker(backwards))

    assert [hit.node.name for hit in result.hits] == ["apple", "apple tree", "apple pie"]


async def test_a_reranker_that_fails_leaves_the_order(database: Database) -> None:
    await upsert_documents(database, [document("a.txt", alone=("apple pie", "apple tree"))])

    def fail(*_: object) -> list[int]:
        raise InvalidInput("it broke")

    for reranker, reason in ((Reranker(fail), "it broke"), (Reranker(lambda *_: [0, 0]), "lost or repeated")):
        result = await search_segments(database, "apple", mode=SearchMode.TEXT, reranker=reranker)
        names = [hit.node.name for hit in (await search_nodes(database, "apple", reranker=reranker)).hits]
        assert names == ["apple pie", "apple tree"]
        assert [part.part for part in result.degraded] == ["rerank"]
        assert reason in result.degraded[0].reason
