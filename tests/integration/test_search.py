"""Text search on a real full-text index: hostile texts are data, exact names come first."""

import pytest

from graph.database import Database
from graph.errors import InvalidInput
from graph.search import search_nodes
from graph.store import upsert_documents
from graph.terms import MAX_QUERY_TERMS
from tests.builders import document

NAMES = (
    "C",
    "C++",
    "C#",
    ".NET",
    "a/b",
    "tb-",
    "TxInput",
    "AND",
    "SearchAgent",
    "search_agent_factory",
    "東京都庁",
    "京都",
    "José",
    "Marie Curie",
    "node.js",
)


@pytest.fixture(scope="module")
async def named(connected: Database, cypher) -> Database:
    await cypher.clear()
    await upsert_documents(connected, [document("names.txt", alone=NAMES, kind="concept")])
    return connected


async def found(database: Database, query: str, top_k: int = 10) -> list[str]:
    return [hit.node.name for hit in (await search_nodes(database, query, top_k=top_k)).hits]


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("C++", "C++"),
        ("c#", "C#"),
        ("C", "C"),
        (".net", ".NET"),
        ("a/b", "a/b"),
        ("tb-", "tb-"),
        ("TxInput(", "TxInput"),
        ("AND", "AND"),
        ("search agent", "SearchAgent"),
        ("東京都庁", "東京都庁"),
        ("東京", "東京都庁"),
        ("京都", "京都"),
        ("Jose", "José"),
        ("MARIE\u00a0CURIE", "Marie Curie"),
        ("curie", "Marie Curie"),
        ("Node.js", "node.js"),
    ],
)
async def test_the_best_hit_is_first(named: Database, query: str, first: str) -> None:
    assert (await found(named, query))[0] == first


@pytest.mark.parametrize(
    "query",
    [
        "tb-",
        "a/b",
        "TxInput(",
        "AND",
        "AND OR NOT",
        '"',
        "\\",
        '\\"',
        "~x",
        "*",
        "[1 TO 2]",
        "{a TO b}",
        "name:x",
        "name_terms:x^4",
        "x\0y",
        "a && b || !c",
        '+-!(){}[]^"~*?:\\/',
        "`) RETURN 1 //",
        "🔥",
        "x" * 10_000,
        " ".join(f"word{number}" for number in range(2_000)),
    ],
)
async def test_no_text_is_query_syntax(named: Database, query: str) -> None:
    await search_nodes(named, query)


async def test_a_name_without_words_is_found_exactly(connected: Database, cypher) -> None:
    await cypher.clear()
    await upsert_documents(connected, [document("a.txt", alone=("+++", "C"))])

    result = await search_nodes(connected, "+++")

    assert [(hit.node.name, hit.exact_name, hit.text_rank) for hit in result.hits] == [("+++", True, None)]


@pytest.mark.parametrize("query", ["", "   ", "\n\t", "\0", "\u3000"])
async def test_blank_text_is_refused(connected: Database, query: str) -> None:
    with pytest.raises(InvalidInput, match="blank"):
        await search_nodes(connected, query)


@pytest.mark.parametrize("top_k", [0, -1, 1_001])
async def test_top_k_is_bounded(connected: Database, top_k: int) -> None:
    with pytest.raises(InvalidInput, match="top_k"):
        await search_nodes(connected, "x", top_k=top_k)


async def test_too_many_words_are_said_to_be_too_many(database: Database) -> None:
    words = ["".join(chr(ord("a") + int(digit)) for digit in str(number)) + "word" for number in range(2_000)]
    text = " ".join(words)
    await upsert_documents(database, [document("a.txt", alone=(words[0], words[-1]))])

    result = await search_nodes(database, text)

    assert [hit.node.name for hit in result.hits] == ["aword"]
    assert str(MAX_QUERY_TERMS) in result.degraded[0].reason


async def test_equal_scores_come_in_the_order_of_ids(database: Database) -> None:
    await upsert_documents(database, [document("a.txt", alone=tuple(f"item{n:02} part" for n in range(30)))])

    result = await search_nodes(database, "part", top_k=10)

    assert [hit.node.name for hit in result.hits] == [f"item{n:02} part" for n in range(10)]
    assert result.truncated


async def test_an_exact_name_beats_a_better_text_score(database: Database) -> None:
    await upsert_documents(database, [document("a.txt", alone=("run", "run run run run", "runner"))])

    hits = (await search_nodes(database, "Run")).hits

    assert hits[0].node.name == "run"
    assert hits[0].exact_name
    assert not hits[1].exact_name
