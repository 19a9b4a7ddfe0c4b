"""All kinds of writers at once on the same few names: each gets through, and the graph is that of one after another."""

import asyncio
import random
from collections.abc import Sequence

import pytest

from graph.assertions import EdgeAssertion, NodeAssertion, upsert_graph
from graph.database import Database
from graph.errors import Conflict, NotFound
from graph.fingerprint import get_graph_hash
from graph.jobs import JobProgress, JobStatus, claim_job, create_job, finish_job, make_job_id, report_job
from graph.merges import merge_nodes, undo_merge
from graph.quotas import Quota, set_quota
from graph.retraction import delete_document
from graph.rows import StoredDocument
from graph.store import upsert_documents
from tests.builders import Fact, document
from tests.raw import Cypher

pytestmark = pytest.mark.slow
NAMES = [f"name {n}" for n in range(12)]
RELATIONS = ("won", "studied", "wrote", "invented")
WRITERS = 4
ROUNDS = 6
GIVEN_UP = "kept"
"""A word of the errors of a write that gave up for others' sake: such a one is never to be shown here."""


def facts(chance: random.Random, count: int) -> list[Fact]:
    found = {(*chance.sample(NAMES, 2), chance.choice(RELATIONS)) for _ in range(count)}
    return [(source, relation, target) for source, target, relation in sorted(found)]


def texts_of(writer: int) -> list[StoredDocument]:
    """Four documents again and again, each time with other facts."""
    chance = random.Random(writer)  # noqa: S311 - no secret
    return [document(f"{writer}-{n % 4}.txt", *facts(chance, 8)) for n in range(ROUNDS)]


def statements_of(writer: int) -> list[tuple[list[NodeAssertion], list[EdgeAssertion]]]:
    chance = random.Random(100 + writer)  # noqa: S311 - no secret
    return [
        (
            [NodeAssertion(name, "concept", aliases=(f"alias {writer}",)) for name in chance.sample(NAMES, 3)],
            [EdgeAssertion(source, target, relation) for source, relation, target in facts(chance, 4)],
        )
        for _ in range(ROUNDS)
    ]


async def ingest(database: Database, writer: int) -> None:
    for n, text in enumerate(texts_of(writer)):
        chance = random.Random(n)  # noqa: S311 - no secret
        await upsert_documents(database, [text, document(f"{writer}-passing.txt", *facts(chance, 3))])
        await delete_document(database, f"{writer}-passing.txt")


async def state(database: Database, writer: int) -> None:
    for nodes, edges in statements_of(writer):
        await upsert_graph(database, f"stated {writer}", nodes, edges)


async def merge(database: Database, seed: int) -> None:
    chance = random.Random(200 + seed)  # noqa: S311 - no secret
    for _ in range(ROUNDS):
        into, *nodes = chance.sample(NAMES, 3)
        try:
            record = await merge_nodes(database, into, nodes)
        except (Conflict, NotFound) as exc:  # merged by another, of another kind, or not there yet
            if GIVEN_UP in str(exc):
                raise
            continue
        await undo_merge(database, record.merge_id)


async def run_jobs(database: Database, seed: int) -> None:
    owner = f"owner {seed}"
    for _ in range(ROUNDS):
        await create_job(database, job_id=make_job_id(), kind="folder", lane=f"lane {seed}", params="{}")
        claimed = await claim_job(database, owner=owner)
        if claimed is not None:
            await report_job(database, claimed.job_id, owner=owner, progress=JobProgress(files_total=1))
            assert await finish_job(database, claimed.job_id, owner=owner, status=JobStatus.DONE)


async def limit(database: Database) -> None:
    for n in range(ROUNDS):
        await set_quota(database, Quota(nodes=1_000 + n, bytes=1_000_000, jobs=1_000))


async def test_writers_of_all_kinds_get_through(database: Database, cypher: Cypher) -> None:
    await set_quota(database, Quota(nodes=1_000, bytes=1_000_000, jobs=1_000))
    work = [
        *(ingest(database, n) for n in range(WRITERS)),
        *(state(database, n) for n in range(WRITERS)),
        *(merge(database, n) for n in range(2)),
        *(run_jobs(database, n) for n in range(2)),
        limit(database),
    ]

    ended: Sequence[object] = await asyncio.gather(*work, return_exceptions=True)

    assert [end for end in ended if end is not None] == []
    together = await get_graph_hash(database)
    await cypher.clear()
    for n in range(WRITERS):
        for text in texts_of(n):
            await upsert_documents(database, [text])
    for n in range(WRITERS):
        for nodes, edges in statements_of(n):
            await upsert_graph(database, f"stated {n}", nodes, edges)
    assert await get_graph_hash(database) == together
