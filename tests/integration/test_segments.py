"""Search in segments on a real full-text index: hostile texts are data, ties come by id."""

import pytest

from graph.answers import SearchMode
from graph.database import Database
from graph.errors import InvalidInput
from graph.segments import index_segments, search_segments
from graph.store import upsert_documents
from graph.terms import MAX_QUERY_TERMS
from tests.builders import document
from tests.raw import Cypher

TEXTS = {
    "cpp.txt": "written in C++ and C",
    "agent.txt": "class SearchAgent",
    "snake.txt": "search_agent_factory",
    "tokyo.txt": "東京都庁",
    "jose.txt": "José",
    "and.txt": "AND",
    "net.txt": ".NET and node.js",
    "tb.txt": "tb-",
    "input.txt": "TxInput(",
    "radium.txt": "Radium radium radium",
}


@pytest.fixture(scope="module")
async def texts(connected: Database, cypher: Cypher) -> Database:
    await cypher.clear()
    await upsert_documents(connected, [document(name, alone=(text,)) for name, text in TEXTS.items()])
    return connected


async def found(database: Database, query: str, top_k: int = 10) -> list[str]:
    return [hit.segment.document_id for hit in (await search_segments(database, query, top_k=top_k)).hits]


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("C++", "cpp.txt"),
        ("search agent", "agent.txt"),
        ("SearchAgent", "agent.txt"),
        ("factory", "snake.txt"),
        ("東京", "tokyo.txt"),
        ("Jose", "jose.txt"),
        (".net", "net.txt"),
        ("Node.JS", "net.txt"),
        ("tb-", "tb.txt"),
        ("TxInput(", "input.txt"),
        ("radium", "radium.txt"),
    ],
)
async def test_the_best_segment_is_first(texts: Database, query: str, first: str) -> None:
    assert (await found(texts, query))[0] == first


async def test_a_hit_is_the_segment_with_its_rank(texts: Database) -> None:
    result = await search_segments(texts, "agent", mode=SearchMode.TEXT)

    assert [(hit.segment.segment_id, hit.text_rank) for hit in result.hits] == [
        ("snake.txt#L1", 1),
        ("agent.txt#L1", 2),
    ]
    assert result.hits[0].score > result.hits[1].score > 0
    assert not result.truncated
    assert result.degraded == ()


@pytest.mark.parametrize(
    "query",
    [
        "AND OR NOT",
        '"',
        "\\",
        '\\"',
        "~x",
        "*",
        "[1 TO 2]",
        "{a TO b}",
        "text_terms:x^4",
        "_exists_:text",
        "x\0y",
        "a && b || !c",
        '+-!(){}[]^"~*?:\\/',
        "`) RETURN 1 //",
        "🔥",
        "x" * 10_000,
        " ".join(f"word{number}" for number in range(2_000)),
    ],
)
async def test_no_text_is_query_syntax(texts: Database, query: str) -> None:
    await search_segments(texts, query)


async def test_an_operator_is_a_word(texts: Database) -> None:
    assert (await found(texts, "AND"))[0] == "and.txt"
    assert set(await found(texts, "NOT AND")) == {"and.txt", "cpp.txt", "net.txt"}
    assert [await found(texts, query) for query in ("*", "radiu?", "_exists_:text", "[a TO z]")] == [[], [], [], []]


@pytest.mark.parametrize("query", ["", "   ", "\n\t", "\0", "\u3000"])
async def test_blank_text_is_refused(connected: Database, query: str) -> None:
    with pytest.raises(InvalidInput, match="blank"):
        await search_segments(connected, query)


@pytest.mark.parametrize("top_k", [0, -1, 1_001])
async def test_top_k_is_bounded(connected: Database, top_k: int) -> None:
    with pytest.raises(InvalidInput, match="top_k"):
        await search_segments(connected, "x", top_k=top_k)


async def test_too_many_words_are_said_to_be_too_many(texts: Database) -> None:
    words = ["".join(chr(ord("a") + int(digit)) for digit in str(number)) + "word" for number in range(2_000)]

    assert str(MAX_QUERY_TERMS) in (await search_segments(texts, " ".join(words))).degraded[0].reason


async def test_equal_scores_come_in_the_order_of_ids(database: Database) -> None:
    await upsert_documents(database, [document(f"t{number:02}.txt", alone=("same words",)) for number in range(30)])

    result = await search_segments(database, "words", top_k=10)

    assert [hit.segment.document_id for hit in result.hits] == [f"t{number:02}.txt" for number in range(10)]
    assert result.truncated


async def test_what_is_retracted_is_not_found(database: Database) -> None:
    await upsert_documents(database, [document("a.txt", alone=("before",))])
    await upsert_documents(database, [document("a.txt", alone=("after",))])

    assert (await found(database, "before"), await found(database, "after")) == ([], ["a.txt"])


async def test_segments_without_words_are_indexed_later(database: Database, cypher: Cypher) -> None:
    await upsert_documents(database, [document(f"{number}.txt", alone=(f"text{number} words",)) for number in range(3)])
    await cypher("MATCH (s:Segment) WHERE s.segment_id <> '0.txt#L1' REMOVE s.text_terms")
    assert await found(database, "words") == ["0.txt"]

    assert await index_segments(database) == 2
    assert await found(database, "words") == ["0.txt", "1.txt", "2.txt"]
    assert await index_segments(database) == 0
