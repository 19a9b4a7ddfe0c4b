"""Fixtures: one real Neo4j for a whole run, emptied before each test that uses it."""

import os
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from graph.backends.base import Endpoint
from graph.database import Database, connect
from graph.migrate import apply_migrations
from graph.tenants import parse_tenant
from tests.raw import Cypher

TENANT = "tests"
KEPT_DATA_DIR = os.environ.get("COGNIVERSE_TEST_DATA_DIR")
"""Where the run's servers are kept for the next run, which then starts at once; a fresh folder when not set."""


def _cache_dir() -> Path:
    from api.config import Settings

    return Settings().cache_dir


@pytest.fixture(scope="session")
def cli_env(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The environment of a `cogniverse` that works on the run's own data folder and server."""
    worker = os.environ.get("PYTEST_XDIST_WORKER", "alone")
    data_dir = Path(KEPT_DATA_DIR) / worker if KEPT_DATA_DIR else tmp_path_factory.mktemp("cogniverse-data")
    return os.environ | {
        "COGNIVERSE_DATA_DIR": str(data_dir),
        "COGNIVERSE_CACHE_DIR": str(_cache_dir()),
        "COGNIVERSE_TENANT": TENANT,
        "COGNIVERSE_IDLE_TIMEOUT_S": "600",
        "COGNIVERSE_TRAIN_AOT": "false",
        # What a developer has fetched must not decide what tests find.
        "COGNIVERSE_ENTITY_ENGINE": "off",
        "COGNIVERSE_EMBEDDING_ENGINE": "off",
    }


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def endpoint(cli_env: dict[str, str]) -> AsyncIterator[Endpoint]:
    """The run's Neo4j: that of NEO4J_TEST_URI (user:password@ inside the URI's own variables), else an embedded one."""
    uri = os.environ.get("NEO4J_TEST_URI")
    if uri:
        user, password = os.environ.get("NEO4J_TEST_USER", "neo4j"), os.environ["NEO4J_TEST_PASSWORD"]
        yield Endpoint(uri, user, password, os.environ.get("NEO4J_TEST_DATABASE", "neo4j"))
        return
    from graph.backends.embedded import EmbeddedBackend, EmbeddedSettings

    backend = EmbeddedBackend(
        EmbeddedSettings(
            data_dir=Path(cli_env["COGNIVERSE_DATA_DIR"]),
            cache_dir=Path(cli_env["COGNIVERSE_CACHE_DIR"]),
            train_aot=False,
        )
    )
    tenant = parse_tenant(TENANT)
    yield await backend.open(tenant, create=True)
    if KEPT_DATA_DIR is None:
        await backend.stop(tenant)


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def connected(endpoint: Endpoint) -> AsyncIterator[Database]:
    """A connection with the schema in place."""
    async with connect(endpoint) as database:
        await apply_migrations(database)
        yield database


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def cypher(endpoint: Endpoint) -> AsyncIterator[Cypher]:
    """Cypher of a test's own, to arrange and to look behind the product's back."""
    async with Cypher(endpoint) as raw:
        yield raw


@pytest_asyncio.fixture
async def database(connected: Database, cypher: Cypher) -> Database:
    """The run's database, empty."""
    await cypher.clear()
    return connected
