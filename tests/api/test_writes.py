"""Writes through GraphQL: files in, facts asserted, documents taken back, names merged, and errors as values."""

import json
from pathlib import Path

import pytest

from graph.database import Database
from graph.fingerprint import get_graph_hash
from graph.store import upsert_documents
from tests.api.conftest import TENANT, Api
from tests.builders import document

REPORT = """
... on IngestReport { document { id path status reason modality segments { nodes { text } } }
  graphNodes graphEdges mentions segments unchanged degraded { part reason } }
... on Job { id status }
... on Problem { code message field }
"""
INGEST = f"mutation($input: IngestFileInput!) {{ ingestFile(input: $input) {{ __typename {REPORT} }} }}"
CODE = "def f():\n    return g()\n\n\ndef g():\n    return 1\n"


async def ingest(api: Api, **given) -> dict:
    return (await api.query(INGEST, input={"tenant": TENANT} | given))["ingestFile"]


async def upload(api: Api, name: str, data: bytes, **given) -> dict:
    operations = {"query": INGEST, "variables": {"input": {"tenant": TENANT, "file": None} | given}}
    response = await api.client.post(
        "/graphql",
        data={"operations": json.dumps(operations), "map": json.dumps({"0": ["variables.input.file"]})},
        files={"0": (name, data)},
    )
    return response.json()["data"]["ingestFile"]


async def test_a_text_becomes_a_graph_with_evidence(api: Api, graph: Database) -> None:
    done = await ingest(api, text=CODE, name="pkg/a.py")

    assert done["__typename"] == "IngestReport"
    assert done["document"]["status"] == "DONE"
    assert (done["graphNodes"], done["unchanged"]) == (3, False)
    assert "".join(one["text"] for one in done["document"]["segments"]["nodes"]) == CODE
    assert (await ingest(api, text=CODE, name="pkg/a.py"))["unchanged"] is True


async def test_an_upload_is_the_same_as_its_text(api: Api, graph: Database) -> None:
    await ingest(api, text=CODE, name="a.py")
    by_text = await get_graph_hash(graph)
    done = await upload(api, "a.py", CODE.encode())
    assert done["unchanged"] is True
    assert await get_graph_hash(graph) == by_text


async def test_files_see_one_another(api: Api, graph: Database) -> None:
    await ingest(api, text="from b import g\n\n\ndef f():\n    g()\n", name="a.py")
    await ingest(api, text="def g():\n    return 1\n", name="b.py")

    found = await api.tenant('path(from: "a.py::f", to: "b.py::g") { ... on Path { length } ... on NoPath { reason } }')

    assert found["path"] == {"length": 1}


async def test_words_are_kept_and_found_without_an_entity_model(api: Api, graph: Database) -> None:
    done = await ingest(api, text="Radium glows in the dark.\n\nPolonium too.\n", name="notes.md")
    found = await api.tenant(
        'searchSegments(query: "radium", mode: TEXT) { hits { segment { text } } degraded { part } }'
    )

    assert done["document"]["status"] == "DONE"
    assert [part["part"] for part in done["degraded"]] == ["entities"]
    assert "Radium" in found["searchSegments"]["hits"][0]["segment"]["text"]


async def test_a_path_is_taken_under_an_allowed_root_alone(api: Api, graph: Database, tmp_path: Path) -> None:
    root = api.services.settings.allowed_roots[0]
    (root / "inside.py").write_text(CODE)
    (tmp_path / "outside.py").write_text(CODE)
    (root / "link.py").unlink(missing_ok=True)
    (root / "link.py").symlink_to(tmp_path / "outside.py")

    done = await ingest(api, path="inside.py")
    refused = [
        await ingest(api, path=path)
        for path in ("link.py", str(tmp_path / "outside.py"), "../../etc/passwd", "/etc/passwd", "missing.py", "")
    ]

    assert done["document"]["path"] == "inside.py"
    assert {one["code"] for one in refused} == {"INVALID_INPUT"}
    assert "outside" not in json.dumps([one["message"] for one in refused[:1]])


@pytest.mark.parametrize(
    ("given", "code"),
    [
        ({}, "INVALID_INPUT"),
        ({"text": "x", "path": "y", "name": "z.py"}, "INVALID_INPUT"),
        ({"text": "x = 1"}, "INVALID_INPUT"),
        ({"text": "x = 1", "name": "../up.py"}, "INVALID_INPUT"),
        ({"text": "x = 1", "name": "a\0b.py"}, "INVALID_INPUT"),
        ({"text": "x", "name": "a.mp4", "type": "VIDEO"}, "UNSUPPORTED_FORMAT"),
    ],
)
async def test_bad_input_is_a_problem(api: Api, graph: Database, given: dict, code: str) -> None:
    done = await ingest(api, **given)
    assert done["code"] == code
    assert done["message"]


async def test_a_wrong_kind_of_file_is_a_problem(api: Api, graph: Database) -> None:
    for name, data in (
        ("a.zip", b"PK\x03\x04" + b"\0" * 500),
        ("a.bin", bytes(range(256)) * 9),
        ("a.pdf", b"%PDF-1.7\0"),
    ):
        assert (await upload(api, name, data))["code"] == "UNSUPPORTED_FORMAT"


async def test_a_file_given_as_a_value_is_a_problem(api: Api) -> None:
    answer = await api.post(INGEST, {"input": {"tenant": TENANT, "file": "text", "name": "a.py"}})
    assert answer["data"]["ingestFile"]["code"] == "INVALID_INPUT"


async def test_a_document_is_taken_back(api: Api, graph: Database) -> None:
    empty = await get_graph_hash(graph)
    await ingest(api, text=CODE, name="a.py")

    gone = await api.query(
        'mutation { deleteDocument(tenant: "tests", id: "a.py") { ... on DeleteReport { id nodesRemoved mentionsRemoved }'
        " ... on Problem { code } } }"
    )

    assert gone["deleteDocument"]["nodesRemoved"] == 3
    assert await get_graph_hash(graph) == empty
    again = await api.query(
        'mutation { deleteDocument(tenant: "tests", id: "a.py") { ... on Problem { code message } } }'
    )
    assert again["deleteDocument"]["code"] == "NOT_FOUND"


async def test_a_merge_is_undone_to_the_same_hash(api: Api, graph: Database) -> None:
    await upsert_documents(graph, [document("a.txt", ("Ada", "wrote", "Notes"), ("Countess Ada", "wrote", "Notes"))])
    before = await get_graph_hash(graph)
    record = "... on MergeRecord { id into { id aliases edges { totalCount } } merged undone } ... on Problem { code message }"

    merged = await api.query(
        f'mutation {{ mergeNodes(tenant: "tests", into: "Ada", nodes: ["Countess Ada"]) {{ {record} }} }}'
    )
    assert merged["mergeNodes"]["into"]["edges"]["totalCount"] == 1
    undone = await api.query(
        f'mutation($id: ID!) {{ undoMerge(tenant: "tests", id: $id) {{ {record} }} }}', id=merged["mergeNodes"]["id"]
    )

    assert undone["undoMerge"]["undone"] is True
    assert await get_graph_hash(graph) == before


async def test_an_ambiguous_name_comes_with_its_candidates(api: Api, graph: Database) -> None:
    await ingest(api, text="def run(): ...\n", name="a.py")
    await ingest(api, text="def run(): ...\n", name="b.py")

    found = await api.tenant('neighbors(node: "run") { ... on Problem { code message candidates { id degree } } }')

    assert found["neighbors"]["code"] == "AMBIGUOUS_NAME"
    assert [one["id"] for one in found["neighbors"]["candidates"]] == ["a.py::run", "b.py::run"]


async def test_three_different_noes(api: Api, graph: Database) -> None:
    await upsert_documents(
        graph, [document("a.txt", ("a", "contains", "b"), ("b", "contains", "c"), ("c", "contains", "d"), alone=("x",))]
    )
    shape = "__typename ... on Path { length } ... on NoPath { reason searchedDepth } ... on Problem { code }"
    found = await api.tenant(
        f'far: path(from: "a", to: "d", maxDepth: 2) {{ {shape} }} none: path(from: "a", to: "x") {{ {shape} }} '
        f'nobody: path(from: "a", to: "y") {{ {shape} }} itself: path(from: "a", to: "a") {{ {shape} }}'
    )
    assert "maxDepth 3" in found["far"]["reason"]
    assert "no path" in found["none"]["reason"]
    assert found["nobody"] == {"__typename": "Problem", "code": "NOT_FOUND"}
    assert found["itself"] == {"__typename": "Path", "length": 0}


async def test_an_upsert_that_can_t_be_taken_writes_nothing(api: Api, graph: Database) -> None:
    before = await get_graph_hash(graph)
    mutation = "mutation($input: UpsertGraphInput!) { upsertGraph(input: $input) { ... on Problem { code message } } }"
    bad = [
        {"nodes": [{"name": " "}]},
        {"nodes": [{"name": "x", "kind": "`) DETACH DELETE n //"}]},
        {"edges": [{"source": "a", "target": "b", "relation": "likes"}]},
        {"nodes": [{"name": "good"}], "edges": [{"source": "a", "target": "b", "relation": "won", "confidence": 7}]},
    ]
    for given in bad:
        done = await api.query(mutation, input={"tenant": TENANT, "sourceDocId": "mine"} | given)
        assert done["upsertGraph"]["code"] == "INVALID_INPUT"
    assert await get_graph_hash(graph) == before
