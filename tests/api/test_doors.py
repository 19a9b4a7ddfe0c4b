"""What is persisted, how errors look, and the pages and numbers beside GraphQL."""

import hashlib
import json

import httpx
import pytest

from api.config import Settings
from graph.database import Database
from graph.store import upsert_documents
from tests.api.conftest import TENANT, Api, serving
from tests.builders import document

ME = f'{{ tenant(id: "{TENANT}") {{ id }} }}'


async def test_a_browser_on_another_site_can_t_use_the_open_door(api: Api) -> None:
    for headers in ({"Origin": "https://evil.example"}, {"Host": "evil.example"}):
        response = await api.client.post("/graphql", json={"query": ME}, headers=headers)
        assert response.status_code == 401


async def test_persisted_queries_are_registered_and_found(api: Api) -> None:
    digest = hashlib.sha256(ME.encode()).hexdigest()
    extensions = {"persistedQuery": {"version": 1, "sha256Hash": digest}}

    unknown = (await api.client.post("/graphql", json={"extensions": extensions})).json()
    registered = (await api.client.post("/graphql", json={"query": ME, "extensions": extensions})).json()
    found = (await api.client.get("/graphql", params={"extensions": json.dumps(extensions)})).json()
    forged = (
        await api.client.post("/graphql", json={"query": "{ health { status } }", "extensions": extensions})
    ).json()

    assert unknown["errors"][0]["extensions"]["code"] == "PERSISTED_QUERY_NOT_FOUND"
    assert registered["data"] == found["data"] == {"tenant": {"id": TENANT}}
    assert forged["errors"][0]["extensions"]["code"] == "INVALID_INPUT"


async def test_an_allow_list_serves_nothing_else(api_settings: Settings, running: Api, tmp_path) -> None:
    listed = tmp_path / "queries.json"
    digest = hashlib.sha256(ME.encode()).hexdigest()
    listed.write_text(json.dumps({digest: ME}))
    settings = api_settings.model_copy(
        update={"persisted_queries": "only", "persisted_queries_file": listed, "production": True}
    )
    async with serving(settings) as api:
        allowed = await api.post(ME)
        by_hash = await api.client.post(
            "/graphql", json={"extensions": {"persistedQuery": {"version": 1, "sha256Hash": digest}}}
        )
        refused = await api.post("{ health { status } }")
        page = await api.client.get("/graphql", headers={"Accept": "text/html"})

    assert allowed["data"] == by_hash.json()["data"] == {"tenant": {"id": TENANT}}
    assert refused["errors"][0]["extensions"]["code"] == "NOT_PERSISTED"
    assert page.status_code == 404


async def test_introspection_is_off_in_production(api_settings: Settings, running: Api) -> None:
    async with serving(api_settings.model_copy(update={"production": True})) as api:
        answer = await api.post("{ __schema { queryType { name } } }")
        near = await api.post('{ tenan(id: "x") { id } }')
    assert "Did you mean" not in near["errors"][0]["message"]
    assert "introspection" in answer["errors"][0]["message"].lower()


async def test_mutations_can_t_be_sent_by_get(api: Api) -> None:
    query = f'mutation {{ deleteDocument(tenant: "{TENANT}", id: "x") {{ ... on Problem {{ code }} }} }}'
    assert (await api.client.get("/graphql", params={"query": query})).status_code == 400


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"null",
        b"7",
        b'"x"',
        b"[]",
        b'{"query": 7}',
        b'{"query": null}',
        b"[" * 100_000,
        b"\xff\xfe",
        b'{"query": "query A { health { status } }", "operationName": "\\ud800"}',
    ],
)
async def test_what_is_no_request_is_refused(api: Api, body: bytes) -> None:
    response = await api.client.post("/graphql", content=body, headers={"content-type": "application/json"})
    assert response.status_code == 400


async def test_half_a_surrogate_pair_is_no_text(api: Api) -> None:
    body = b'{"query": "query($id: ID!) { tenant(id: $id) { id } }", "variables": {"id": "\\ud800"}}'
    response = await api.client.post("/graphql", content=body, headers={"content-type": "application/json"})
    assert (response.status_code, response.json()["errors"][0]["extensions"]["code"]) == (400, "BAD_REQUEST")


async def test_an_upload_whose_map_leads_nowhere_is_refused(api: Api) -> None:
    operations = {"query": "mutation($f: [Upload!]) { __typename }", "variables": {"f": [None]}}
    response = await api.client.post(
        "/graphql",
        data={"operations": json.dumps(operations), "map": json.dumps({"0": ["variables.f.99999999999"]})},
        files={"0": ("a.py", b"")},
    )
    assert (response.status_code, response.json()["errors"][0]["extensions"]["code"]) == (400, "BAD_REQUEST")


async def test_which_of_several_operations_is_meant_must_be_said(api: Api) -> None:
    two = "query A { health { status } } query B { health { version } }"
    unsaid, said = await api.post(two), await api.post(two, extra={"operationName": "B"})
    assert "operationName" in unsaid["errors"][0]["message"]
    assert said["data"]["health"].keys() == {"version"}


@pytest.mark.parametrize(
    ("method", "path", "body", "status"),
    [
        ("POST", "/graph/upsert", b"{", 422),
        ("GET", "/nowhere", b"", 404),
        ("DELETE", "/graph/stats", b"", 405),
        ("GET", "/graph/search", b"", 422),
    ],
)
async def test_rest_errors_have_one_shape(api: Api, method: str, path: str, body: bytes, status: int) -> None:
    headers = {"content-type": "application/json"}
    response = await api.client.request(method, path, content=body, headers=headers)
    assert response.status_code == status
    assert response.json()["error"].keys() == {"code", "message", "candidates"}


async def test_graphql_takes_get_and_post_alone(api: Api) -> None:
    for method in ("PUT", "DELETE", "PATCH"):
        response = await api.client.request(method, "/graphql")
        assert (response.status_code, "errors" in response.json()) == (405, True)


async def test_a_fault_is_masked_and_logged_with_its_id(api: Api, graph: Database, caplog) -> None:
    await graph_fault(graph)
    answer = await api.post(
        f'{{ tenant(id: "{TENANT}") {{ nodes {{ nodes {{ mentions {{ nodes {{ modality }} }} }} }} }} }}'
    )

    (error, *_) = answer["errors"]
    assert error["extensions"]["code"] == "INTERNAL"
    assert error["extensions"]["id"] in error["message"]
    assert "HOLOGRAM" not in json.dumps(answer)
    assert any(getattr(record, "fault_id", None) == error["extensions"]["id"] for record in caplog.records)


async def graph_fault(graph: Database) -> None:
    """Data that no version of the program writes."""
    from tests.raw import Cypher

    await upsert_documents(graph, [document("a.txt", alone=("x",))])
    async with Cypher(graph.endpoint) as cypher:
        await cypher("MATCH (m:Mention) SET m.modality = 'HOLOGRAM'")


async def test_a_slow_request_is_given_up(api_settings: Settings, running: Api, graph: Database) -> None:
    async with serving(api_settings.model_copy(update={"query_timeout_s": 0.001})) as api:
        answer = await api.post(f'{{ tenant(id: "{TENANT}") {{ stats {{ nodes }} }} }}')
    assert answer["errors"][0]["extensions"]["code"] == "LIMIT_EXCEEDED"


async def test_pages_health_and_numbers(api: Api) -> None:
    page = await api.client.get("/graphql", headers={"Accept": "text/html"})
    docs = await api.client.get("/docs")
    described = (await api.client.get("/openapi.json")).json()
    live = await api.client.get("/health/live")
    ready = await api.client.get("/health/ready")
    numbers = await api.client.get("/metrics")

    assert page.status_code == docs.status_code == live.status_code == ready.status_code == 200
    assert "default-src" in page.headers["content-security-policy"]
    assert {"/graph/search", "/graph/upsert", "/ingestion/upload"} <= described["paths"].keys()
    assert "cogniverse" in numbers.text
    assert page.headers["x-content-type-options"] == "nosniff"


async def test_an_export_link_can_t_be_forged(api: Api, graph: Database) -> None:
    await upsert_documents(graph, [document("a.txt", ("a", "won", "b"))])
    for wanted in ("CYPHER", "GRAPHML", "JSON"):
        url = (await api.tenant(f"export(format: {wanted}) {{ url hash }}"))["export"]["url"]
        assert (await api.client.get(url)).status_code == 200
        parsed = httpx.URL(url)
        forged = parsed.copy_set_param("signature", "0" * 32)
        assert (await api.client.get(str(forged))).status_code == 404
        assert (await api.client.get(parsed.path)).status_code == 404
        assert (await api.client.get(url.replace("/t-tests/", "/t-other/"))).status_code == 404


async def test_uploads_over_rest_tell_the_counts(api: Api, graph: Database) -> None:
    done = await api.client.post(
        "/ingestion/upload", files={"file": ("a.py", b"def f(): ...\n")}, data={"tenant": TENANT}
    )
    assert done.status_code == 200
    assert {"status": "DONE", "graph_nodes": 2, "graph_edges": 1}.items() <= done.json().items()
    assert done.json()["processing_time"] > 0
    found = await api.client.get("/graph/search", params={"q": "f", "tenant": TENANT})
    assert found.json()["hits"][0]["node"]["node_id"] == "a.py::f"
    missing = await api.client.get("/graph/neighbors", params={"node": "zzz", "tenant": TENANT})
    assert (missing.status_code, missing.json()["error"]["code"]) == (404, "NOT_FOUND")
