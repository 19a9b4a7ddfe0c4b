"""A server with many databases, for the tests of the back ends that need one."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest_asyncio

from graph.backends.embedded import EmbeddedBackend, EmbeddedSettings
from graph.backends.server import ServerSettings
from graph.tenants import TenantId
from tests.bolt.router import PASSWORD, USER, Router
from tests.conftest import KEPT_DATA_DIR

_SERVERS = (TenantId("router-home"), TenantId("router-one"), TenantId("router-two"))


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def running_router(cli_env: dict[str, str]) -> AsyncIterator[Router]:
    """The run's router, over three real servers."""
    backend = EmbeddedBackend(
        EmbeddedSettings(
            data_dir=Path(cli_env["COGNIVERSE_DATA_DIR"]),
            cache_dir=Path(cli_env["COGNIVERSE_CACHE_DIR"]),
            heap="512m",
            page_cache="64m",
            train_aot=False,
        )
    )
    endpoints = [await backend.open(tenant, create=True) for tenant in _SERVERS]
    async with Router(endpoints) as router:
        yield router
    if KEPT_DATA_DIR is None:
        await asyncio.gather(*(backend.stop(tenant) for tenant in _SERVERS))


@pytest_asyncio.fixture
async def router(running_router: Router) -> AsyncIterator[Router]:
    """The router as Neo4j Enterprise, with no databases but its home."""
    await running_router.reset()
    yield running_router
    assert running_router.faults == []


@pytest_asyncio.fixture
async def settings(router: Router) -> ServerSettings:
    """How the router is reached."""
    return ServerSettings(f"bolt://{router.address}", USER, PASSWORD, start_timeout_s=20)
