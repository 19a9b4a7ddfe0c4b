"""Many writers and readers at once: no error reaches a caller, nothing is lost, nothing is seen half."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import AbstractContextManager, nullcontext
from itertools import pairwise
from pathlib import Path

import pytest
import pytest_asyncio

from api.config import load_settings
from extraction.pipeline import IndexOptions, index_folder
from graph.backends.base import Endpoint
from graph.backends.embedded import EmbeddedBackend, EmbeddedSettings
from graph.database import Database, connect
from graph.fingerprint import get_graph_hash
from graph.migrate import apply_migrations
from graph.store import upsert_documents
from graph.tenants import TenantId
from tests.builders import Fact, document
from tests.crashes import Ingest, documents_of, half_written, write_corpus
from tests.raw import Cypher

pytestmark = [pytest.mark.slow, pytest.mark.timeout(1800)]

WORKERS, DOCUMENTS, NAMES = 8, 20, 50
FACTS = 10
_SETTLING_LOOKS = 100


@pytest_asyncio.fixture
async def endpoints(endpoint: Endpoint, database: Database, tmp_path: Path) -> AsyncIterator[tuple[Endpoint, Endpoint]]:
    """Two tenants, both empty."""
    backend = EmbeddedBackend(
        EmbeddedSettings(
            tmp_path, load_settings().cache_dir, heap="512m", page_cache="64m", start_timeout_s=300, train_aot=False
        )
    )
    other = TenantId("other")
    second = await backend.open(other, create=True)
    async with connect(second) as opened:
        await apply_migrations(opened)
    yield endpoint, second
    await backend.stop(other)


def facts_of(worker: int, number: int) -> list[Fact]:
    """Ten facts between the fifty names; every worker speaks of all of them, in an order of its own."""
    ends = [(worker * 13 + number * 7 + step * (2 * worker + 3)) % NAMES for step in range(FACTS + 1)]
    return [(f"Name {one}", "preceded_by", f"Name {other}") for one, other in pairwise(ends) if one != other]


async def test_eight_writers_of_the_same_names_in_two_tenants_never_see_an_error(
    endpoints: tuple[Endpoint, Endpoint],
) -> None:
    runs: Counter[str] = Counter()

    def observe(name: str) -> AbstractContextManager[object]:
        runs[name] += 1
        return nullcontext()

    async def work(worker: int, endpoint: Endpoint) -> None:
        async with connect(endpoint, observer=observe) as database:
            for number in range(DOCUMENTS):
                await upsert_documents(database, [document(f"w{worker}/d{number}", *facts_of(worker, number))])

    await asyncio.gather(*(work(worker, endpoint) for worker in range(WORKERS) for endpoint in endpoints))

    written = len(endpoints) * WORKERS * DOCUMENTS
    assert runs["documents/upsert_documents"] >= written
    for endpoint in endpoints:
        async with Cypher(endpoint) as cypher:
            (row,) = await cypher(
                "MATCH (n:Node) WITH count(n) AS nodes MATCH (d:Document) WITH nodes, count(d) AS documents "
                "MATCH (m:Mention) RETURN nodes, documents, count(m) AS mentions"
            )
            assert row == {
                "nodes": NAMES,
                "documents": WORKERS * DOCUMENTS,
                "mentions": sum(
                    len(document("x", *facts_of(worker, number)).result.mentions)
                    for worker in range(WORKERS)
                    for number in range(DOCUMENTS)
                ),
            }
            assert await half_written(cypher) == []


async def watch(cypher: Cypher, ended: asyncio.Event) -> int:
    """Read over and over until the end; return how often. No document may stay without all of its facts.

    Neo4j reads what is committed, not a snapshot: a statement that runs while a commit is applied can see a part of it.
    Source: https://neo4j.com/developer/kb/neo4j-current-transaction-commit-process-order
    """
    looks = 0
    while not ended.is_set():
        half = await half_written(cypher)
        for _ in range(_SETTLING_LOOKS):
            if not half:
                break
            await asyncio.sleep(0.1)
            again = await half_written(cypher)
            half = [row for row in half if row in again]
        assert half == []
        looks += 1
        await asyncio.sleep(0.05)  # the writers need the machine, too
    return looks


async def test_two_processes_and_a_reader_in_one_tenant_end_in_a_clean_build(
    database: Database, cypher: Cypher, cli_env: dict[str, str], tmp_path: Path
) -> None:
    shared, alone = tmp_path / "shared", tmp_path / "alone"
    write_corpus(alone, 1, modules=30, texts=5)
    for generation in range(2):
        write_corpus(shared, generation, modules=30, texts=5)
        ended = asyncio.Event()
        reader = asyncio.create_task(watch(cypher, ended))
        ingests = [
            await Ingest.start(shared, cli_env),
            await Ingest.start(shared, cli_env),
            await Ingest.start(alone, cli_env, prefix="alone"),
        ]
        ends = await asyncio.gather(*(ingest.end() for ingest in ingests))
        ended.set()
        assert await reader > 0
        assert ends == [(0, "")] * 3
        assert len(await documents_of(cypher, generation)) >= 30

    both = await get_graph_hash(database)
    await cypher.clear()
    await index_folder(database, shared, options=IndexOptions("auto", workers=1))
    await index_folder(database, alone, options=IndexOptions("auto", workers=1, prefix="alone"))
    assert await get_graph_hash(database) == both
