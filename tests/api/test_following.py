"""Jobs followed: over graphql-transport-ws and over server-sent events."""

import asyncio
import json
from pathlib import Path

import pytest
from websockets.asyncio.client import connect

from graph.database import Database
from tests.api.conftest import TENANT, Api

FOLLOW = """
subscription($tenant: ID!, $job: ID!) {
  jobProgress(tenant: $tenant, job: $job) { job { id status filesDone filesTotal } file { path status } }
}
"""
START = """
mutation($input: IngestFolderInput!) {
  ingestFolder(input: $input) { ... on Job { id status } ... on Problem { code message } }
}
"""


@pytest.fixture
def folder(api: Api) -> Path:
    root = api.services.settings.allowed_roots[0] / "project"
    root.mkdir(exist_ok=True)
    for number in range(5):
        (root / f"m{number}.py").write_text(f"def f{number}():\n    return {number}\n")
    return root


async def start(api: Api, **given) -> dict:
    return (await api.query(START, input={"tenant": TENANT, "path": "project"} | given))["ingestFolder"]


async def follow(api: Api, job: str) -> list[dict]:
    url = api.base_url.replace("http", "ws") + "/graphql"
    events = []
    async with connect(url, subprotocols=["graphql-transport-ws"]) as socket:
        await socket.send(json.dumps({"type": "connection_init"}))
        assert json.loads(await socket.recv())["type"] == "connection_ack"
        payload = {"query": FOLLOW, "variables": {"tenant": TENANT, "job": job}}
        await socket.send(json.dumps({"id": "1", "type": "subscribe", "payload": payload}))
        while (message := json.loads(await socket.recv()))["type"] != "complete":
            assert message["type"] in {"next", "ping"}, message
            if message["type"] == "next":
                events.append(message["payload"])
    return events


async def test_a_folder_s_job_is_followed_to_its_end(api: Api, graph: Database, folder: Path) -> None:
    job = await start(api)

    events = await asyncio.wait_for(follow(api, job["id"]), 120)

    assert not any("errors" in event for event in events)
    last = events[-1]["data"]["jobProgress"]["job"]
    assert (last["status"], last["filesDone"], last["filesTotal"]) == ("DONE", 5, 5)
    files = {event["data"]["jobProgress"]["file"]["path"] for event in events if event["data"]["jobProgress"]["file"]}
    assert files == {f"m{number}.py" for number in range(5)}
    assert 'status="DONE"' in (await api.client.get("/metrics")).text
    found = await api.tenant("jobs { totalCount nodes { id files { path status } } } stats { documents }")
    assert found["jobs"]["totalCount"] == 1
    assert len(found["jobs"]["nodes"][0]["files"]) == found["stats"]["documents"] == 5


async def test_server_sent_events_tell_the_same(api: Api, graph: Database, folder: Path) -> None:
    job = await start(api)
    body = {"query": FOLLOW, "variables": {"tenant": TENANT, "job": job["id"]}}

    async with api.client.stream("POST", "/graphql", json=body, headers={"Accept": "text/event-stream"}) as response:
        assert response.headers["content-type"].startswith("text/event-stream")
        lines = [line async for line in response.aiter_lines()]

    told = [json.loads(line[5:]) for line in lines if line.startswith("data:") and len(line) > 6]
    assert told[-1]["data"]["jobProgress"]["job"]["status"] == "DONE"


async def test_an_unknown_job_is_told_as_an_error_with_a_code(api: Api, graph: Database) -> None:
    (event,) = await follow_error(api)
    assert event["extensions"]["code"] == "NOT_FOUND"


async def test_a_fault_in_a_stream_is_masked(api: Api, graph: Database, folder: Path) -> None:
    from tests.raw import Cypher

    job = await start(api)
    await asyncio.wait_for(follow(api, job["id"]), 120)
    async with Cypher(graph.endpoint) as cypher:
        await cypher("MATCH (j:Job) SET j.status = 'HOLOGRAM'")

    (event,) = await follow_error(api, job["id"])

    assert event["extensions"]["code"] == "INTERNAL"
    assert "HOLOGRAM" not in json.dumps(event)


async def follow_error(api: Api, job: str = "nothing") -> list[dict]:
    url = api.base_url.replace("http", "ws") + "/graphql"
    async with connect(url, subprotocols=["graphql-transport-ws"]) as socket:
        await socket.send(json.dumps({"type": "connection_init"}))
        await socket.recv()
        payload = {"query": FOLLOW, "variables": {"tenant": TENANT, "job": job}}
        await socket.send(json.dumps({"id": "1", "type": "subscribe", "payload": payload}))
        message = json.loads(await socket.recv())
        return message["payload"] if message["type"] == "error" else message["payload"]["errors"]


async def test_a_large_file_becomes_a_job(api: Api, graph: Database) -> None:
    text = "\n".join(f"x{number} = {number}" for number in range(30_000))
    query = "mutation($input: IngestFileInput!) { ingestFile(input: $input) { __typename ... on Job { id } } }"
    done = await api.query(query, input={"tenant": TENANT, "text": text, "name": "big.py"})

    assert done["ingestFile"]["__typename"] == "Job"
    events = await asyncio.wait_for(follow(api, done["ingestFile"]["id"]), 120)
    assert events[-1]["data"]["jobProgress"]["job"]["status"] == "DONE"
    assert (await api.tenant('document(id: "big.py") { status }'))["document"] == {"status": "DONE"}


async def test_a_job_is_cancelled_and_the_graph_is_whole(api: Api, graph: Database, folder: Path) -> None:
    job = await start(api)
    done = await api.query(
        "mutation($t: ID!, $id: ID!) { cancelJob(tenant: $t, id: $id) { ... on Job { status } ... on Problem { code } } }",
        t=TENANT,
        id=job["id"],
    )
    events = await asyncio.wait_for(follow(api, job["id"]), 120)
    last = events[-1]["data"]["jobProgress"]["job"]["status"]
    assert last in {"CANCELLED", "DONE"}
    assert done["cancelJob"].get("status") or done["cancelJob"]["code"] == "CONFLICT"


async def test_a_connection_s_later_operations_see_what_was_written_meanwhile(api: Api, graph: Database) -> None:
    url = api.base_url.replace("http", "ws") + "/graphql"
    query = f'{{ tenant(id: "{TENANT}") {{ document(id: "late.py") {{ status }} }} }}'
    seen = []
    async with connect(url, subprotocols=["graphql-transport-ws"]) as socket:
        await socket.send(json.dumps({"type": "connection_init"}))
        await socket.recv()
        for number in ("1", "2"):
            await socket.send(json.dumps({"id": number, "type": "subscribe", "payload": {"query": query}}))
            seen.append(json.loads(await socket.recv())["payload"]["data"]["tenant"]["document"])
            await socket.recv()
            await api.query(
                "mutation($i: IngestFileInput!) { ingestFile(input: $i) { __typename } }",
                i={"tenant": TENANT, "text": "x = 1", "name": "late.py"},
            )
    assert seen == [None, {"status": "DONE"}]


async def test_a_client_that_takes_json_too_gets_json(api: Api) -> None:
    accept = "application/graphql-response+json, application/json, text/event-stream, multipart/mixed"
    response = await api.client.post("/graphql", json={"query": "{ health { status } }"}, headers={"Accept": accept})
    assert response.headers["content-type"].startswith("application/json")


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("{ nothing }", "nothing"),
        ("{ " + "a: health { status } " * 40 + "}", "LIMIT_EXCEEDED"),
    ],
)
async def test_what_is_refused_is_answered_over_a_websocket_too(api: Api, query: str, said: str) -> None:
    url = api.base_url.replace("http", "ws") + "/graphql"
    async with connect(url, subprotocols=["graphql-transport-ws"]) as socket:
        await socket.send(json.dumps({"type": "connection_init"}))
        await socket.recv()
        await socket.send(json.dumps({"id": "1", "type": "subscribe", "payload": {"query": query}}))
        message = await asyncio.wait_for(socket.recv(), 10)
    assert said in message
    streamed = await api.client.post("/graphql", json={"query": query}, headers={"Accept": "text/event-stream"})
    assert said in streamed.text


@pytest.mark.parametrize(
    "sent",
    [
        ["null"],
        ["[]"],
        ["[" * 200_000],
        ["nonsense"],
        ['{"type": 7}'],
        ['{"type": "connection_init"}', '{"type": "subscribe", "id": "1", "payload": "x"}'],
        [
            '{"type": "connection_init"}',
            '{"type": "subscribe", "id": 1, "payload": {"query": "{ health { status } }"}}',
        ],
        [
            '{"type": "connection_init"}',
            '{"type": "subscribe", "id": "1", "payload": {"query": "{ x }", "variables": [1]}}',
        ],
        ['{"type": "connection_init"}', '{"type": "subscribe", "id": "\\ud800", "payload": {"query": "{ x }"}}'],
    ],
)
async def test_what_is_no_message_closes_the_connection(api: Api, sent: list[str]) -> None:
    url = api.base_url.replace("http", "ws") + "/graphql"
    async with connect(url, subprotocols=["graphql-transport-ws"]) as socket:
        for text in sent:
            await socket.send(text)
        async with asyncio.timeout(10):
            await socket.wait_closed()
    assert socket.close_code == 4400


async def test_a_subscription_by_plain_post_is_told_where_to_go(api: Api) -> None:
    response = await api.client.post("/graphql", json={"query": FOLLOW, "variables": {"tenant": TENANT, "job": "x"}})
    assert response.status_code == 400
    assert "text/event-stream" in response.json()["errors"][0]["message"]
