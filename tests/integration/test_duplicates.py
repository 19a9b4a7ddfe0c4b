"""Entities that may be one: found without comparing all with all, never made one without a call."""

import json
import subprocess
import sys

import pytest

from graph.assertions import NodeAssertion, upsert_graph
from graph.database import Database
from graph.duplicates import MAX_DUPLICATES, DuplicatesView, find_duplicates
from graph.errors import InvalidInput
from graph.fingerprint import get_graph_hash
from graph.merges import merge_nodes, undo_merge
from graph.store import upsert_documents
from tests.builders import document
from tests.raw import Cypher

PEOPLE = ("Marie Curie", "Dr. Marie Curie", "Curie, Marie", "Pierre Curie", "Albert Einstein", "Albert Einstien")


def pairs(view: DuplicatesView) -> set[tuple[str, str]]:
    return {(pair.a.name, pair.b.name) for pair in view.pairs}


async def fill(database: Database, kind: str, *names: str, name: str = "a.txt") -> None:
    await upsert_documents(database, [document(name, alone=names, kind=kind, folder=name)])


async def test_spellings_of_one_person_are_suggested_and_others_are_not(database: Database) -> None:
    await fill(database, "person", *PEOPLE)
    before = await get_graph_hash(database)

    found = await find_duplicates(database)

    assert {frozenset(pair) for pair in pairs(found)} == {
        frozenset({"Marie Curie", "Dr. Marie Curie"}),
        frozenset({"Marie Curie", "Curie, Marie"}),
        frozenset({"Dr. Marie Curie", "Curie, Marie"}),
        frozenset({"Albert Einstein", "Albert Einstien"}),
    }
    assert all(pair.a.node_id < pair.b.node_id and 0.8 <= pair.score <= 1 and pair.reasons for pair in found.pairs)
    scores = [pair.score for pair in found.pairs]
    assert scores == sorted(scores, reverse=True)
    assert not found.truncated
    assert await get_graph_hash(database) == before


async def test_the_answer_is_the_same_in_whatever_order_names_came(database: Database, cypher: Cypher) -> None:
    await fill(database, "person", *PEOPLE)
    first = await find_duplicates(database)
    await cypher.clear()
    await fill(database, "person", *reversed(PEOPLE))

    assert await find_duplicates(database) == first


async def test_kinds_agree_or_one_is_any_entity(database: Database) -> None:
    await fill(database, "organization", "Acme Inc.", name="a.txt")
    await fill(database, "person", "Acme Incorporated", name="b.txt")
    assert pairs(await find_duplicates(database)) == set()

    await fill(database, "entity", "Acme", name="c.txt")

    assert pairs(await find_duplicates(database)) == {("Acme", "Acme Inc.")}
    assert pairs(await find_duplicates(database, kinds=["organization"])) == set()


async def test_code_and_code_like_names_are_never_suggested(database: Database, cypher: Cypher) -> None:
    await fill(database, "product", "ASR1603", "ASR1605", "SR-2023-052", "SR-2023-053", "iPhone 14", "iPhone 15")
    await cypher(
        "CREATE (:Node:Function {node_id: 'a.py::run', name: 'run', name_key: 'run', kind: 'function', aliases: []})"
    )
    await cypher(
        "CREATE (:Node:Function {node_id: 'b.py::run', name: 'run', name_key: 'run', kind: 'function', aliases: []})"
    )

    assert pairs(await find_duplicates(database, min_score=0.1)) == set()


async def test_an_alias_that_is_the_name_of_another_tells(database: Database) -> None:
    long = NodeAssertion("Massachusetts Institute of Technology", "organization", "", ("The Institute",))
    other = NodeAssertion("The Institute", "organization", "", ())
    await upsert_graph(database, "mine", [long, other], [])

    [pair] = (await find_duplicates(database)).pairs

    assert {pair.a.name, pair.b.name} == {"Massachusetts Institute of Technology", "The Institute"}
    assert pair.reasons == ("by an alias: the same name",)


async def test_what_is_merged_is_one_and_undoing_suggests_it_again(database: Database) -> None:
    await fill(database, "person", "Marie Curie", "Dr. Marie Curie")
    before, asked = await get_graph_hash(database), await find_duplicates(database)

    record = await merge_nodes(database, "Marie Curie", ["Dr. Marie Curie"])
    assert (await find_duplicates(database)).pairs == ()
    await undo_merge(database, record.merge_id)

    assert await find_duplicates(database) == asked
    assert await get_graph_hash(database) == before


async def test_a_list_that_stops_early_says_so(database: Database) -> None:
    await fill(database, "person", *PEOPLE)

    cut = await find_duplicates(database, limit=1)

    assert (len(cut.pairs), cut.truncated) == (1, True)
    assert cut.pairs == (await find_duplicates(database)).pairs[:1]


async def test_names_that_are_merely_alike_are_below_the_rules(database: Database) -> None:
    await fill(database, "person", "Jon Smith", "John Smith")

    assert (await find_duplicates(database)).pairs == ()
    assert [pair.reasons for pair in (await find_duplicates(database, min_score=0.5)).pairs] == [("alike",)]


async def test_near_vectors_raise_the_score_of_names_that_are_alike(database: Database, cypher: Cypher) -> None:
    await fill(database, "location", "Warsaw", "Warszawa", "Iran")
    await cypher("DROP INDEX node_embedding IF EXISTS")
    assert (await find_duplicates(database)).degraded[0].part == "vector"
    await cypher(
        "CREATE VECTOR INDEX node_embedding FOR (n:Node) ON (n.embedding) "
        "OPTIONS {indexConfig: {`vector.dimensions`: 3, `vector.similarity_function`: 'cosine'}}"
    )
    try:
        await cypher("CALL db.awaitIndexes(60)")
        vectors = {"warsaw": [1.0, 0.0, 0.01], "warszawa": [1.0, 0.0, 0.0], "iran": [1.0, 0.0, 0.0]}
        for node_id, vector in vectors.items():
            await cypher("MATCH (n:Node {node_id: $id}) SET n.embedding = $vector", id=node_id, vector=vector)

        found = await find_duplicates(database)

        assert pairs(found) == {("Warsaw", "Warszawa")}
        assert found.degraded == ()
        assert found.pairs[0].reasons == ("alike", "their vectors are near: 1.00")
    finally:
        await cypher("DROP INDEX node_embedding IF EXISTS")


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"min_score": 0.0}, "least score is 0.0"),
        ({"min_score": float("nan")}, "least score is nan"),
        ({"limit": 0}, "0 pairs"),
        ({"limit": MAX_DUPLICATES + 1}, "1,001 pairs"),
        ({"kinds": ["function"]}, "'function' is no kind of entity"),
    ],
)
async def test_wrong_requests_are_refused(database: Database, wrong: dict, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        await find_duplicates(database, **wrong)


def run(env: dict[str, str], *arguments: str) -> subprocess.CompletedProcess[str]:
    program = [sys.executable, "-m", "api.cli.app", "graph", *arguments]
    return subprocess.run(program, env=env, capture_output=True, text=True, check=False, timeout=240)


@pytest.mark.timeout(600)
async def test_in_a_terminal_one_finds_merges_and_takes_back(database: Database, cli_env: dict[str, str]) -> None:
    await fill(database, "person", "Marie Curie", "Dr. Marie Curie")
    before = await get_graph_hash(database)

    found = json.loads(run(cli_env, "duplicates", "--kind", "person", "--json").stdout)
    assert [(pair["a"]["name"], pair["b"]["name"]) for pair in found["pairs"]] == [("Dr. Marie Curie", "Marie Curie")]
    assert "the same but for a title" in run(cli_env, "duplicates").stdout

    unasked = run(cli_env, "merge", "Marie Curie", "Dr. Marie Curie")
    assert (unasked.returncode, "give --yes" in unasked.stderr) == (2, True)
    assert await get_graph_hash(database) == before
    nobody = run(cli_env, "merge", "Marie Curie", "Nobody", "--yes")
    assert (nobody.returncode, "'Nobody'" in nobody.stderr) == (3, True)

    record = json.loads(run(cli_env, "merge", "Marie Curie", "Dr. Marie Curie", "--yes", "--json").stdout)
    assert (record["into"], record["merged"], record["undone"]) == ("marie_curie", ["dr._marie_curie"], False)
    assert "No two entities look like one." in run(cli_env, "duplicates").stdout

    undone = run(cli_env, "unmerge", record["merge_id"])
    assert (undone.returncode, record["merge_id"] in undone.stdout) == (0, True)
    assert await get_graph_hash(database) == before
    assert run(cli_env, "unmerge", "0" * 16).returncode == 3
