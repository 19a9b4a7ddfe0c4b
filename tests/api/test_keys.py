"""Who may: keys, roles, and what each door asks for."""

import json

import pytest
import pytest_asyncio
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosedError

from api.auth.access import Role
from api.auth.keys import KeyStore
from api.config import Settings
from tests.api.conftest import TENANT, Api, serving

ME = f'{{ tenant(id: "{TENANT}") {{ id }} }}'


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def locked(api_settings: Settings, running: Api):
    kept = api_settings.data_dir / "keys.json"
    kept.unlink(missing_ok=True)
    store = KeyStore(api_settings.data_dir)
    keys = {role: store.create(tenants=(TENANT,), role=role, name="", expires_at=None) for role in Role}
    async with serving(api_settings) as api:
        api.keys = {role: text for role, (text, _) in keys.items()}
        api.key_ids = {role: key.key_id for role, (_, key) in keys.items()}
        api.store = store
        yield api
    kept.unlink()


def bearer(key: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {key}"}


async def test_a_key_is_needed_once_there_is_one(locked: Api) -> None:
    for headers in ({}, bearer("cgk_x_y"), bearer("nonsense"), {"X-API-Key": ""}):
        response = await locked.client.post("/graphql", json={"query": ME}, headers=headers)
        assert response.status_code == 401
        assert response.json()["errors"][0]["extensions"]["code"] == "UNAUTHENTICATED"
    response = await locked.client.post("/graphql", json={"query": ME}, headers={"X-API-Key": locked.keys[Role.READER]})
    assert response.json()["data"]["tenant"]["id"] == TENANT


@pytest.mark.parametrize(
    ("mutation", "needed"),
    [
        ('createTenant(input: {id: "x"}) { ... on Problem { code } }', Role.ADMIN),
        ('deleteTenant(id: "x", confirm: "x") { ... on Problem { code } }', Role.ADMIN),
        (f'ingestFile(input: {{tenant: "{TENANT}"}}) {{ ... on Problem {{ code }} }}', Role.WRITER),
        (f'ingestFolder(input: {{tenant: "{TENANT}", path: "x"}}) {{ ... on Problem {{ code }} }}', Role.WRITER),
        (f'upsertGraph(input: {{tenant: "{TENANT}", sourceDocId: ""}}) {{ ... on Problem {{ code }} }}', Role.WRITER),
        (f'deleteDocument(tenant: "{TENANT}", id: "x") {{ ... on Problem {{ code }} }}', Role.WRITER),
        (f'mergeNodes(tenant: "{TENANT}", into: "x", nodes: ["y"]) {{ ... on Problem {{ code }} }}', Role.WRITER),
        (f'undoMerge(tenant: "{TENANT}", id: "x") {{ ... on Problem {{ code }} }}', Role.WRITER),
        (f'cancelJob(tenant: "{TENANT}", id: "x") {{ ... on Problem {{ code }} }}', Role.WRITER),
    ],
)
async def test_each_mutation_needs_its_role(locked: Api, mutation: str, needed: Role) -> None:
    for role in Role:
        answer = await locked.post(f"mutation {{ it: {mutation} }}", headers=bearer(locked.keys[role]))
        assert (answer["data"]["it"]["code"] == "FORBIDDEN") == (not role.covers(needed)), (role, answer)


async def test_the_page_is_shown_to_who_has_yet_to_type_a_key(locked: Api) -> None:
    page = await locked.client.get("/graphql", headers={"Accept": "text/html"})
    assert (page.status_code, page.headers["content-type"].split(";")[0]) == (200, "text/html")


async def test_a_revoked_key_is_out_at_once(locked: Api) -> None:
    text, key = locked.store.create(tenants=(TENANT,), role=Role.READER, name="brief", expires_at=None)
    assert "data" in await locked.post(ME, headers=bearer(text))
    locked.store.revoke(key.key_id)
    assert (await locked.client.post("/graphql", json={"query": ME}, headers=bearer(text))).status_code == 401


async def test_rest_asks_for_keys_and_roles_too(locked: Api) -> None:
    assert (await locked.client.get("/graph/stats", params={"tenant": TENANT})).status_code == 401
    reader, writer = (bearer(locked.keys[role]) for role in (Role.READER, Role.WRITER))
    body = {"tenant": TENANT, "source_doc_id": "x", "nodes": [{"name": "x"}]}
    assert (await locked.client.post("/graph/upsert", json=body, headers=reader)).status_code == 403
    assert (await locked.client.post("/graph/upsert", json=body, headers=writer)).status_code == 200
    assert (
        await locked.client.post("/ingestion/upload", files={"file": ("a.py", b"")}, headers=reader)
    ).status_code == 403


async def test_a_websocket_s_key_is_looked_at_for_each_operation(locked: Api) -> None:
    text, key = locked.store.create(tenants=(TENANT,), role=Role.READER, name="socket", expires_at=None)
    answers = []
    async with connect(
        locked.base_url.replace("http", "ws") + "/graphql", subprotocols=["graphql-transport-ws"]
    ) as socket:
        await socket.send(json.dumps({"type": "connection_init", "payload": {"authorization": f"Bearer {text}"}}))
        assert json.loads(await socket.recv())["type"] == "connection_ack"
        for number in ("1", "2"):
            await socket.send(json.dumps({"id": number, "type": "subscribe", "payload": {"query": ME}}))
            while (message := json.loads(await socket.recv()))["type"] != "complete":
                answers.append(message)
                if message["type"] == "error":
                    break
            locked.store.revoke(key.key_id)

    assert answers[0]["payload"]["data"]["tenant"]["id"] == TENANT
    assert "UNAUTHENTICATED" in json.dumps(answers[1])


async def test_a_websocket_without_a_key_is_closed(locked: Api) -> None:
    async with connect(
        locked.base_url.replace("http", "ws") + "/graphql", subprotocols=["graphql-transport-ws"]
    ) as socket:
        await socket.send(json.dumps({"type": "connection_init", "payload": {"authorization": "Bearer nonsense"}}))
        with pytest.raises(ConnectionClosedError):
            await socket.recv()
