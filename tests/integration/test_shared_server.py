"""Work in a tenant whose server goes on without it: it ends with the tenant, whoever deletes that."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from pydantic import SecretStr

from api.config import Settings
from api.opening import make_backend, open_database
from api.tenancy import TenantPool
from graph.backends.base import Endpoint
from graph.database import Database, connect
from graph.errors import NotAvailable, UnknownTenant
from graph.migrate import prepare_database
from graph.store import upsert_documents
from graph.tenants import TenantId
from tests.builders import document
from tests.raw import Cypher

DEFAULT = TenantId("default")


def silent(_: str) -> None:
    pass


@pytest_asyncio.fixture
async def settings(database: Database, endpoint: Endpoint, cypher: Cypher, tmp_path: Path) -> AsyncIterator[Settings]:
    """The run's server as one that others run."""
    yield Settings(
        backend="single",
        neo4j_uri=endpoint.uri,
        neo4j_user=endpoint.user,
        neo4j_password=SecretStr(endpoint.password),
        neo4j_database=endpoint.database,
        data_dir=tmp_path / "data",
        cache_dir=tmp_path / "cache",
    )
    await cypher.clear()
    await prepare_database(database)


async def work(database: Database, has_begun: asyncio.Event) -> None:
    """Write until that isn't possible any more."""
    for step in range(1_000_000):
        await upsert_documents(database, [document(f"{step}.txt", ("a", "won", "b"))])
        has_begun.set()


@pytest.mark.slow
async def test_a_command_at_work_ends_with_its_tenant(settings: Settings, cypher: Cypher) -> None:
    has_begun = asyncio.Event()

    async def run() -> None:
        async with open_database(settings, "default", create=True, on_event=silent) as database:
            await work(database, has_begun)

    command = asyncio.create_task(run())
    await has_begun.wait()

    await make_backend(settings, on_event=silent).delete(DEFAULT)

    with pytest.raises(UnknownTenant, match="was deleted while this was at work"):
        await command
    assert await cypher("MATCH (n) WHERE NOT n:Tenant RETURN n") == []


@pytest.mark.slow
async def test_a_job_at_work_ends_with_its_tenant_and_the_next_finds_it_empty(
    settings: Settings, cypher: Cypher
) -> None:
    pool = TenantPool(settings, make_backend(settings, on_event=silent))
    has_begun = asyncio.Event()
    job = asyncio.create_task(work(await pool.get(DEFAULT, create=True), has_begun))
    await has_begun.wait()

    await make_backend(settings, on_event=silent).delete(DEFAULT)

    with pytest.raises(NotAvailable, match="closed meanwhile"):
        await job
    await (await pool.get(DEFAULT)).verify()
    assert await cypher("MATCH (d:Document) RETURN d") == []
    await pool.close()


async def test_leaving_one_database_of_a_server_leaves_the_others_connected(endpoint: Endpoint) -> None:
    async with connect(endpoint) as stays:
        async with connect(endpoint) as leaves:
            await leaves.verify()
        await stays.verify()
        with pytest.raises(NotAvailable, match="closed"):
            await leaves.verify()
