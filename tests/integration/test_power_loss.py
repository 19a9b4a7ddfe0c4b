"""Processes that are killed outright at random moments of an ingest: what was acknowledged is there, and nothing half.

A kill of the JVM loses what Neo4j had not handed to the kernel. What a power cut loses beyond that, the kernel's own
buffers, is up to fsync, which Neo4j calls before it acknowledges a commit.
"""

import asyncio
import logging
import random
from collections.abc import AsyncIterator
from enum import StrEnum
from pathlib import Path

import psutil
import pytest
import pytest_asyncio

from api.config import load_settings
from extraction.pipeline import IndexOptions, index_folder
from graph.backends.embedded import EmbeddedBackend, EmbeddedSettings
from graph.database import connect
from graph.fingerprint import get_graph_hash
from graph.tenants import parse_tenant
from tests.crashes import Ingest, documents_of, environment, half_written, write_corpus
from tests.raw import Cypher

pytestmark = [pytest.mark.slow, pytest.mark.timeout(1800)]

TENANT = parse_tenant("crashes")
SEED = 20
MODULES, TEXTS = 50, 10
LONGEST_S = 1.5
log = logging.getLogger(__name__)


class Victim(StrEnum):
    JVM = "JVM"
    SUPERVISOR = "supervisor"
    INGEST = "ingest"


VICTIMS = (Victim.JVM,) * 20 + (Victim.SUPERVISOR,) * 2 + (Victim.INGEST,) * 2


@pytest_asyncio.fixture
async def backend(tmp_path: Path) -> AsyncIterator[EmbeddedBackend]:
    settings = EmbeddedSettings(
        tmp_path / "data",
        load_settings().cache_dir,
        heap="512m",
        page_cache="64m",
        start_timeout_s=300,
        train_aot=False,
    )
    backend = EmbeddedBackend(settings)
    await backend.open(TENANT, create=True)
    yield backend
    await backend.stop(TENANT)


async def test_kills_at_random_moments_lose_nothing_acknowledged(backend: EmbeddedBackend, tmp_path: Path) -> None:
    dice = random.Random(SEED)  # noqa: S311 - moments, no secrets
    root, env = tmp_path / "corpus", environment(tmp_path / "data", COGNIVERSE_START_TIMEOUT_S="300")
    in_flight = 0
    for generation, victim in enumerate(VICTIMS):
        write_corpus(root, generation, modules=MODULES, texts=TEXTS)
        after, delay_s = dice.randrange(MODULES), dice.uniform(0, LONGEST_S)
        what = f"seed {SEED}, generation {generation}: {victim} killed {delay_s:.2f} s after {after} documents"
        log.warning(what)

        ingest = await Ingest.start(root, env)
        await ingest.read(after)
        await asyncio.sleep(delay_s)
        await kill(victim, backend, ingest)
        code, said = await ingest.end()

        if victim is not Victim.INGEST and code:
            assert code == 1, what
            assert said.startswith("error: "), what
            assert "Traceback" not in said, what
        in_flight += bool(code)
        async with Cypher(await backend.open(TENANT, create=False)) as cypher:
            assert ingest.acknowledged <= await documents_of(cypher, generation), what
            assert await half_written(cypher) == [], what
    log.warning("killed while the ingest was under way: %d of %d", in_flight, len(VICTIMS))
    assert in_flight > len(VICTIMS) / 2

    endpoint = await backend.open(TENANT, create=False)
    async with connect(endpoint) as database, Cypher(endpoint) as cypher:
        await index_folder(database, root, options=IndexOptions("auto", workers=1))
        resumed = await get_graph_hash(database)
        await cypher.clear()
        await index_folder(database, root, options=IndexOptions("auto", workers=1))
        assert await get_graph_hash(database) == resumed


async def kill(victim: Victim, backend: EmbeddedBackend, ingest: Ingest) -> None:
    if victim is Victim.INGEST:
        if ingest.process.returncode is None:
            ingest.process.kill()
        return
    status = await backend.status(TENANT)
    pid = status.jvm_pid if victim is Victim.JVM else status.supervisor_pid
    assert pid is not None
    psutil.Process(pid).kill()
