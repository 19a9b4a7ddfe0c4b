"""The API as its clients meet it: a real server on a free port, on two real tenants."""

import asyncio
import json
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest_asyncio
import uvicorn

from api.app import create_app
from api.config import Settings
from api.observability.statements import observe_statement
from api.opening import make_backend
from graph.database import Database
from graph.tenants import parse_tenant
from tests.conftest import KEPT_DATA_DIR, TENANT
from tests.raw import Cypher

OTHER = "other"
ROOT = Path(__file__).parents[2]


class Counter:
    """Names of the statements that were sent."""

    def __init__(self) -> None:
        self.names: list[str] = []

    @contextmanager
    def __call__(self, name: str) -> Iterator[None]:
        self.names.append(name)
        with observe_statement(name):
            yield


class Api:
    """A running server and a client of it."""

    def __init__(self, app, base_url: str) -> None:
        self.app = app
        self.services = app.state.services
        self.base_url = base_url
        self.statements = Counter()
        self.services.pool.observer = self.statements
        self.client = httpx.AsyncClient(base_url=base_url, timeout=120)

    async def post(self, query: str, variables: dict[str, Any] | None = None, **kwargs: Any) -> dict[str, Any]:
        """The whole answer of a query."""
        body = {"query": query, "variables": variables or {}} | kwargs.pop("extra", {})
        response = await self.client.post("/graphql", json=body, **kwargs)
        return json.loads(response.content)

    async def query(self, query: str, **variables: Any) -> dict[str, Any]:
        """The data of a query that must succeed."""
        answer = await self.post(query, variables)
        assert "errors" not in answer, answer["errors"]
        return answer["data"]

    async def tenant(self, selection: str, *, id: str = TENANT, **variables: Any) -> Any:
        """What a selection on a tenant gives; variables are `$name: Type = value` pairs in `declare`."""
        declare = variables.pop("declare", "")
        data = await self.query(
            f"query({declare}) {{ tenant(id: {json.dumps(id)}) {{ {selection} }} }}"
            if declare
            else f"{{ tenant(id: {json.dumps(id)}) {{ {selection} }} }}",
            **variables,
        )
        return data["tenant"]


@asynccontextmanager
async def serving(settings: Settings) -> AsyncIterator[Api]:
    """A server of these settings."""
    app = create_app(settings)
    config = uvicorn.Config(app, host="127.0.0.1", port=0, log_config=None, access_log=False, ws="websockets-sansio")
    server = uvicorn.Server(config)
    server.install_signal_handlers = lambda: None
    task = asyncio.create_task(server._serve())
    while not server.started:
        await asyncio.sleep(0.02)
        if task.done():
            task.result()
    port = server.servers[0].sockets[0].getsockname()[1]
    api = Api(app, f"http://127.0.0.1:{port}")
    try:
        yield api
    finally:
        await api.client.aclose()
        server.should_exit = True
        await task


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def api_settings(cli_env: dict[str, str], tmp_path_factory) -> Settings:
    """Settings over the run's own data folder, with one folder that may be ingested from."""
    return Settings(
        data_dir=Path(cli_env["COGNIVERSE_DATA_DIR"]),
        cache_dir=Path(cli_env["COGNIVERSE_CACHE_DIR"]),
        tenant=TENANT,
        train_aot=False,
        idle_timeout_s=600,
        allowed_roots=(tmp_path_factory.mktemp("allowed"),),
        workers=1,
        large_file_bytes=200_000,
        entity_engine="off",
        embedding_engine="off",
    )


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def running(api_settings: Settings) -> AsyncIterator[Api]:
    """The run's server with both tenants open."""
    async with serving(api_settings) as api:
        for name in (TENANT, OTHER):
            await api.services.pool.get(parse_tenant(name), create=True)
        yield api
    if KEPT_DATA_DIR is None:
        for name in (TENANT, OTHER):
            await make_backend(api_settings, on_event=lambda _: None).stop(parse_tenant(name))


async def _clear(api: Api, tenant: str) -> Database:
    database = await api.services.pool.get(parse_tenant(tenant))
    async with Cypher(database.endpoint) as cypher:
        await cypher.clear()
    return database


@pytest_asyncio.fixture
async def api(running: Api) -> Api:
    """The server, its first tenant empty."""
    await _clear(running, TENANT)
    running.statements.names.clear()
    return running


@pytest_asyncio.fixture
async def graph(api: Api) -> Database:
    """The first tenant's database, empty."""
    return await api.services.pool.get(parse_tenant(TENANT))


@pytest_asyncio.fixture
async def other(api: Api) -> Database:
    """The second tenant's database, empty."""
    return await _clear(api, OTHER)


__all__ = ["OTHER", "TENANT", "Api", "serving"]
