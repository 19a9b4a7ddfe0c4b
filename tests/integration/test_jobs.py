"""Jobs outlive their process, run once at a time, can be stopped from anywhere, and end as they say."""

import asyncio
import itertools
import json
import signal
import sys
import threading
import time
from collections import defaultdict
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from api.config import Settings
from api.jobs import FileWork, FolderWork, JobRunner
from api.jobs.following import JobEvent
from api.jobs.hints import PendingJobs
from extraction.pipeline import IndexOptions, index_folder
from graph import jobs
from graph.backends.base import Endpoint
from graph.database import Database
from graph.errors import InvalidInput, LimitExceeded, NotFound, UnknownTenant, UnsupportedFormat
from graph.fingerprint import get_graph_hash
from graph.jobs import JobFileView, JobProgress, JobStatus, JobView
from graph.stats import get_stats
from graph.tenants import TenantId
from tests.raw import Cypher

TENANT = TenantId("tests")
FILES = 60
WAIT_S = 60.0

# A process of the API that only runs jobs: small batches, a pause after each, so that a kill falls between two of them;
# stdin has the password.
RUN = """
import asyncio, sys, time
from pathlib import Path
import extraction.batches
from api.config import Settings
from api.jobs import JobRunner
from extraction.batches import Batcher
from graph.backends.base import Endpoint
from graph.database import connect

extraction.batches.ROWS_PER_BATCH = 30
really = Batcher.next_batch

def slowly(self):
    time.sleep(float(sys.argv[5]))
    return really(self)

Batcher.next_batch = slowly

class Pool:
    def __init__(self, database):
        self.database = database

    async def get(self, tenant, *, create=False):
        return self.database

async def main(data_dir, uri, user, database, _pause):
    endpoint = Endpoint(uri, user, sys.stdin.readline().strip(), database)
    folder = Path(data_dir)
    async with connect(endpoint) as opened:
        runner = JobRunner(Settings(data_dir=folder, cache_dir=folder / "cache", workers=1), Pool(opened), poll_s=0.2)
        await runner.start()
        print("ready", flush=True)
        while await asyncio.to_thread(sys.stdin.readline):
            pass
        await runner.close(grace_s=0)
        print("closed", flush=True)

asyncio.run(main(*sys.argv[1:]))
"""


class Pool:
    """All tenants in one database, or none."""

    def __init__(self, database: Database, *unknown: TenantId) -> None:
        self.database = database
        self.unknown = set(unknown)
        self.asked: list[TenantId] = []

    async def get(self, tenant: TenantId, *, create: bool = False) -> Database:  # noqa: ARG002
        self.asked.append(tenant)
        if tenant in self.unknown:
            raise UnknownTenant(f"There is no tenant {tenant}.")
        return self.database


def settings(folder: Path, **more: object) -> Settings:
    return Settings(data_dir=folder, cache_dir=folder / "cache", workers=1, **more)


def new_upload(runner: JobRunner, name: str, data: bytes) -> Path:
    file = runner.get_spool_dir(TENANT) / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(data)
    return file


@asynccontextmanager
async def running(
    database: Database, folder: Path, *, pool: Pool | None = None, **more: object
) -> AsyncIterator[JobRunner]:
    runner = JobRunner(settings(folder, **more), pool or Pool(database), poll_s=0.2)
    await runner.start()
    try:
        yield runner
    finally:
        await runner.close()


@asynccontextmanager
async def process(
    endpoint: Endpoint, folder: Path, *, pause_s: float = 0.1
) -> AsyncIterator[asyncio.subprocess.Process]:
    child = await asyncio.create_subprocess_exec(
        sys.executable,
        *("-c", RUN, str(folder), endpoint.uri, endpoint.user, endpoint.database, str(pause_s)),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        cwd=Path(__file__).parent.parent.parent,
    )
    assert child.stdin
    assert child.stdout
    try:
        child.stdin.write(f"{endpoint.password}\n".encode())
        await child.stdin.drain()
        assert await child.stdout.readline() == b"ready\n"
        yield child
    finally:
        if child.returncode is None:
            child.kill()
        await child.wait()


async def until(database: Database, job_id: str, told: Callable[[JobView], bool]) -> JobView:
    async with asyncio.timeout(WAIT_S):
        while not told(view := await jobs.get_job(database, job_id)):  # noqa: ASYNC110 - it runs elsewhere
            await asyncio.sleep(0.05)
    return view


async def eventually(told: Callable[[], bool]) -> None:
    async with asyncio.timeout(WAIT_S):
        while not told():  # noqa: ASYNC110 - it is told by files
            await asyncio.sleep(0.05)


def ended(view: JobView) -> bool:
    return view.status.is_final


def write_folder(root: Path, files: int = FILES) -> Path:
    root.mkdir(exist_ok=True)
    for number in range(files):
        previous = f"from m{number - 1:03} import f{number - 1}\n" if number else ""
        called = f"f{number - 1}()" if number else "0"
        (root / f"m{number:03}.py").write_text(f"{previous}\n\ndef f{number}():\n    return {called}\n")
    return root


async def clean_hash(database: Database, cypher: Cypher, root: Path) -> str:
    await cypher.clear()
    await index_folder(database, root, options=IndexOptions(workers=1))
    return await get_graph_hash(database)


async def fetch_files(database: Database, job_id: str) -> list[tuple[str, str, str | None]]:
    files = await jobs.fetch_job_files(database, job_id, limit=10_000)
    assert [file.ordinal for file in files] == list(range(len(files)))
    return [(file.path, file.status, file.reason) for file in files]


async def test_a_folder_job_ends_with_every_file_told(database: Database, cypher: Cypher, tmp_path: Path) -> None:
    root = write_folder(tmp_path / "code", 5)
    (root / "binary.py").write_bytes(b"\0\1\2" * 100)
    (root / "node_modules").mkdir()
    (root / "tests").mkdir()
    (root / "tests" / "t.py").write_text("x = 1\n")
    async with running(database, tmp_path) as runner:
        job = await runner.submit(TENANT, FolderWork(str(root), exclude=("tests/",), include=("*.py",)))
        assert (job.status, job.files_total, job.eta_s) == (JobStatus.QUEUED, 0, None)
        view = await until(database, job.job_id, ended)

    assert (view.status, view.error, view.eta_s) == (JobStatus.DONE, None, None)
    assert (view.files_total, view.files_done, view.files_skipped, view.files_failed) == (8, 5, 3, 0)
    assert view.created_at <= view.started_at <= view.finished_at
    files = await fetch_files(database, job.job_id)
    assert {(path, status) for path, status, _ in files} == {
        *((f"m{number:03}.py", "DONE") for number in range(5)),
        ("binary.py", "SKIPPED"),
        ("node_modules/", "SKIPPED"),
        ("tests/", "SKIPPED"),
    }
    assert all(reason for _, status, reason in files if status == "SKIPPED")
    skipped = await jobs.fetch_job_files(database, job.job_id, status="SKIPPED", limit=10)
    assert len(skipped) == 3
    assert PendingJobs(tmp_path / "pending-jobs").fetch() == []


async def test_the_graph_does_not_see_jobs(database: Database, cypher: Cypher, tmp_path: Path) -> None:
    root = write_folder(tmp_path / "code", 3)
    async with running(database, tmp_path) as runner:
        for _ in range(2):
            job = await runner.submit(TENANT, FolderWork(str(root)))
            view = await until(database, job.job_id, ended)
            assert (view.files_done, view.files_total) == (3, 3)
    hash_, stats = await get_graph_hash(database), await get_stats(database)

    assert hash_ == await clean_hash(database, cypher, root)
    assert stats == await get_stats(database)


async def test_a_killed_job_is_finished_by_the_next_runner(
    database: Database, endpoint: Endpoint, cypher: Cypher, tmp_path: Path
) -> None:
    root = write_folder(tmp_path / "code")
    submitter = JobRunner(settings(tmp_path), Pool(database))
    job = await submitter.submit(TENANT, FolderWork(str(root)))
    async with process(endpoint, tmp_path) as child:
        before = await until(database, job.job_id, lambda view: view.files_done >= 10)
        child.kill()
        assert await child.wait() == -signal.SIGKILL
    assert before.status is JobStatus.RUNNING
    assert 0 < (await get_stats(database)).documents < FILES

    async with running(database, tmp_path):
        view = await until(database, job.job_id, ended)

    assert (view.status, view.run) == (JobStatus.DONE, 2)
    assert (view.files_total, view.files_done) == (FILES, FILES)
    files = await fetch_files(database, job.job_id)
    assert sorted(path for path, _, _ in files) == [f"m{number:03}.py" for number in range(FILES)]
    assert {status for _, status, _ in files} == {"DONE"}
    resumed = await get_graph_hash(database)
    assert await clean_hash(database, cypher, root) == resumed


async def test_a_job_that_kills_its_process_again_and_again_fails(
    database: Database, endpoint: Endpoint, tmp_path: Path
) -> None:
    root = write_folder(tmp_path / "code")
    job = await JobRunner(settings(tmp_path), Pool(database)).submit(TENANT, FolderWork(str(root)))
    for crash in range(jobs.MAX_CRASHES):
        async with process(endpoint, tmp_path) as child:
            await until(database, job.job_id, lambda view, run=crash + 1: view.run == run and view.files_done > 0)
            child.kill()

    async with running(database, tmp_path):
        view = await until(database, job.job_id, ended)

    assert view.status is JobStatus.FAILED
    assert "died 3 times" in (view.error or "")


async def test_cancelling_from_another_process_leaves_a_whole_graph(
    database: Database, endpoint: Endpoint, cypher: Cypher, tmp_path: Path
) -> None:
    root = write_folder(tmp_path / "code")
    other = JobRunner(settings(tmp_path), Pool(database))
    job = await other.submit(TENANT, FolderWork(str(root)))
    async with process(endpoint, tmp_path):
        await until(database, job.job_id, lambda view: view.files_done >= 5)
        asked = time.monotonic()
        assert (await other.cancel(TENANT, job.job_id)).cancel_requested
        view = await until(database, job.job_id, ended)
        assert time.monotonic() - asked < 10

    assert view.status is JobStatus.CANCELLED
    stats = await get_stats(database)
    assert 0 < stats.documents == view.files_done < FILES
    assert len(await fetch_files(database, job.job_id)) == view.files_done
    broken = await cypher(
        "MATCH (d:Document) OPTIONAL MATCH (d)-[:HAS_SEGMENT]->()-[:HAS_MENTION]->(m) "
        "WITH d, count(m) AS mentions WHERE mentions <> d.mentions OR d.status <> 'DONE' RETURN d.path"
    )
    assert broken == []
    await index_folder(database, root, options=IndexOptions(workers=1))
    resumed = await get_graph_hash(database)
    assert await clean_hash(database, cypher, root) == resumed


async def test_a_process_that_ends_parks_its_job(database: Database, endpoint: Endpoint, tmp_path: Path) -> None:
    root = write_folder(tmp_path / "code")
    job = await JobRunner(settings(tmp_path), Pool(database)).submit(TENANT, FolderWork(str(root)))
    async with process(endpoint, tmp_path) as child:
        await until(database, job.job_id, lambda view: view.files_done >= 5)
        assert child.stdin
        assert child.stdout
        child.stdin.close()
        assert await child.stdout.readline() == b"closed\n"
        assert await child.wait() == 0
    parked = await jobs.get_job(database, job.job_id)
    assert (parked.status, parked.owner) == (JobStatus.QUEUED, None)

    async with running(database, tmp_path):
        view = await until(database, job.job_id, ended)

    assert (view.status, view.files_done) == (JobStatus.DONE, FILES)


async def test_processes_share_jobs_and_never_one(database: Database, endpoint: Endpoint, tmp_path: Path) -> None:
    submitter = JobRunner(settings(tmp_path), Pool(database))
    roots = [write_folder(tmp_path / f"code{number}", 6) for number in range(4)]
    owners: dict[str, set[str | None]] = defaultdict(set)
    async with process(endpoint, tmp_path, pause_s=1.0), process(endpoint, tmp_path, pause_s=1.0):
        open_jobs: set[str] = set()
        for number, root in enumerate(roots):
            job = await submitter.submit(TENANT, FolderWork(str(root), prefix=f"p{number}"))
            open_jobs.add(job.job_id)
        async with asyncio.timeout(WAIT_S):
            while open_jobs:
                for job_id in sorted(open_jobs):
                    view = await jobs.get_job(database, job_id)
                    owners[job_id].add(view.owner)
                    if ended(view):
                        assert (view.status, view.run, view.files_done) == (JobStatus.DONE, 1, 6)
                        open_jobs.discard(job_id)
    assert all(len(one - {None}) <= 1 for one in owners.values())
    assert len(set().union(*owners.values()) - {None}) == 2


async def test_of_many_that_claim_one_gets_it(database: Database) -> None:
    for number in range(5):
        await jobs.create_job(database, job_id=f"job-{number}", kind="folder", lane=str(number), params="{}")

    claimed = await asyncio.gather(*(jobs.claim_job(database, owner=f"owner {number}") for number in range(12)))

    assert sorted(job.job_id for job in claimed if job) == [f"job-{number}" for number in range(5)]


async def test_jobs_of_one_folder_follow_one_another(database: Database) -> None:
    for number in range(3):
        await jobs.create_job(database, job_id=f"job-{number}", kind="folder", lane=str(number // 2), params="{}")

    claimed = await asyncio.gather(*(jobs.claim_job(database, owner="one") for _ in range(3)))
    assert sorted(job.job_id for job in claimed if job) == ["job-0", "job-2"]
    assert await jobs.finish_job(database, "job-0", owner="one", status=JobStatus.DONE)

    following = await jobs.claim_job(database, owner="one")
    assert following is not None
    assert following.job_id == "job-1"


async def test_a_runner_that_lost_its_job_writes_nothing(database: Database) -> None:
    await jobs.create_job(database, job_id="job-1", kind="folder", lane="", params="{}")
    await jobs.claim_job(database, owner="old")
    await jobs.requeue_job(database, "job-1", owner="old", crashed=True)
    await jobs.claim_job(database, owner="new")

    files = [JobFileView("a.py", "DONE", None, 0)]
    assert await jobs.report_job(database, "job-1", owner="old", progress=JobProgress(1, 1), files=files) is None
    assert not await jobs.finish_job(database, "job-1", owner="old", status=JobStatus.DONE)
    assert await jobs.requeue_job(database, "job-1", owner="old", crashed=True) is None
    assert await jobs.fetch_job_files(database, "job-1", limit=10) == []
    assert (await jobs.get_job(database, "job-1")).owner == "new"


async def test_silence_counts_only_where_nothing_is_known_of_the_runner(
    database: Database, cypher: Cypher, tmp_path: Path
) -> None:
    """A runner on another machine is dead when it was not heard of for a minute; one here when its lock is free."""
    root = write_folder(tmp_path / "code", 2)
    submitter = JobRunner(settings(tmp_path), Pool(database))
    silent = await submitter.submit(TENANT, FolderWork(str(root)))
    await jobs.claim_job(database, owner="elsewhere")
    async with running(database, tmp_path):
        await asyncio.sleep(1.5)
        assert (await jobs.get_job(database, silent.job_id)).owner == "elsewhere"
        await cypher("MATCH (j:Job) SET j.heartbeat_at = datetime() - duration({seconds: 61})")
        view = await until(database, silent.job_id, ended)
    assert (view.status, view.run) == (JobStatus.DONE, 2)


async def test_a_stopped_process_keeps_its_job(
    database: Database, endpoint: Endpoint, cypher: Cypher, tmp_path: Path
) -> None:
    root = write_folder(tmp_path / "code")
    job = await JobRunner(settings(tmp_path), Pool(database)).submit(TENANT, FolderWork(str(root)))
    async with process(endpoint, tmp_path) as child:
        before = await until(database, job.job_id, lambda view: view.files_done >= 5)
        child.send_signal(signal.SIGSTOP)
        await cypher("MATCH (j:Job) SET j.heartbeat_at = datetime() - duration({seconds: 600})")
        async with running(database, tmp_path):
            await asyncio.sleep(1.5)
            during = await jobs.get_job(database, job.job_id)
            child.send_signal(signal.SIGCONT)
            view = await until(database, job.job_id, ended)
    assert during.owner == before.owner
    assert (view.status, view.run) == (JobStatus.DONE, 1)


async def test_a_waiting_job_is_cancelled_at_once(database: Database, tmp_path: Path) -> None:
    runner = JobRunner(settings(tmp_path), Pool(database))
    upload = new_upload(runner, "upload", b"text")
    job = await runner.submit_upload(TENANT, upload, name="a.md")

    view = await runner.cancel(TENANT, job.job_id)

    assert (view.status, view.started_at) == (JobStatus.CANCELLED, None)
    assert not upload.exists()
    assert PendingJobs(tmp_path / "pending-jobs").fetch() == []
    assert await jobs.claim_job(database, owner="any") is None
    assert (await runner.cancel(TENANT, job.job_id)).status is JobStatus.CANCELLED
    with pytest.raises(NotFound):
        await runner.cancel(TENANT, "job-none")


async def test_an_upload_becomes_a_document_and_its_file_goes(
    database: Database, cypher: Cypher, tmp_path: Path
) -> None:
    async with running(database, tmp_path) as runner:
        upload = new_upload(runner, "upload", b"def f(): pass\n")
        job = await runner.submit_upload(TENANT, upload, name="a.py", source_doc_id="doc")
        view = await until(database, job.job_id, ended)
        assert await fetch_files(database, job.job_id) == [("a.py", "DONE", None)]

        bad = new_upload(runner, "bad", b"%PDF-1.7")
        failed = await runner.submit_upload(TENANT, bad, name="b.md")
        failed = await until(database, failed.job_id, ended)
        with pytest.raises(InvalidInput):
            await runner.submit_upload(TENANT, bad, name="../b.md")

        kept = tmp_path / "kept.md"
        kept.write_text("text")
        own = await runner.submit(TENANT, FileWork(file=str(kept), name="kept.md"))
        assert (await until(database, own.job_id, ended)).status is JobStatus.DONE
        hints = PendingJobs(tmp_path / "pending-jobs")
        await eventually(lambda: not any(runner.get_spool_dir(TENANT).iterdir()) and not hints.fetch())

    assert (view.status, view.files_total, view.files_done) == (JobStatus.DONE, 1, 1)
    assert (failed.status, failed.files_failed) == (JobStatus.FAILED, 1)
    assert "PDF" in (failed.error or "")
    assert kept.exists()
    documents = await cypher("MATCH (d:Document) RETURN d.source_doc_id AS id ORDER BY id")
    assert [row["id"] for row in documents] == ["doc", "kept.md"]


async def test_bad_work_and_a_full_queue_are_refused(database: Database, tmp_path: Path) -> None:
    runner = JobRunner(settings(tmp_path, job_queue=2), Pool(database, TenantId("gone")))
    with pytest.raises(UnsupportedFormat, match="video"):
        await runner.submit(TENANT, FolderWork("/x", content_type="video"))
    with pytest.raises(InvalidInput, match="glob"):
        await runner.submit(TENANT, FolderWork("/x", include=("",)))
    with pytest.raises(UnknownTenant):
        await runner.submit(TenantId("gone"), FolderWork("/x"))
    for _ in range(2):
        await runner.submit(TENANT, FolderWork("/x"))

    with pytest.raises(LimitExceeded):
        await runner.submit(TENANT, FolderWork("/x"))
    await runner.submit(TenantId("another"), FolderWork("/x"))  # others' queue is no reason to refuse a first one
    with pytest.raises(LimitExceeded):
        await runner.submit(TenantId("another"), FolderWork("/x"))

    assert await jobs.count_jobs(database) == 3


async def test_a_folder_that_is_gone_fails_with_the_reason(database: Database, tmp_path: Path) -> None:
    async with running(database, tmp_path) as runner:
        job = await runner.submit(TENANT, FolderWork(str(tmp_path / "missing")))
        view = await until(database, job.job_id, ended)
    assert view.status is JobStatus.FAILED
    assert "There is no folder" in (view.error or "")


async def test_tenants_take_turns(database: Database, tmp_path: Path) -> None:
    """Each tenant has a database of its own here: they share a real one, told apart by what they have claimed."""
    order: list[str] = []
    busy, idle = TenantId("busy"), TenantId("idle")
    runner = JobRunner(settings(tmp_path), Pool(database), poll_s=0.1)
    really = runner._take

    async def take(tenant, hints):
        took = await really(tenant, hints)
        if took:
            order.append(tenant.name)
        return took

    runner._take = take
    for number in range(4):
        await runner.submit(busy, FolderWork(str(write_folder(tmp_path / f"code{number}", 1)), prefix=f"p{number}"))
    for number in range(4, 6):
        await runner.submit(idle, FolderWork(str(write_folder(tmp_path / f"code{number}", 1)), prefix=f"p{number}"))
    await runner.start()
    await eventually(lambda: len(order) >= 4)
    await runner.close(grace_s=WAIT_S)

    assert order[:4] in (["busy", "idle"] * 2, ["idle", "busy"] * 2)


async def test_only_tenants_with_pending_jobs_are_opened(database: Database, tmp_path: Path) -> None:
    pool = Pool(database, TenantId("gone"))
    hints = PendingJobs(tmp_path / "pending-jobs")
    hints.add(TenantId("gone"), "job-1", at_most=10)
    runner = JobRunner(settings(tmp_path), pool, poll_s=0.1)
    await runner.start()
    await eventually(lambda: not hints.fetch())
    await runner.close()
    assert set(pool.asked) == {TenantId("gone")}


async def test_a_job_is_followed_to_its_end(database: Database, endpoint: Endpoint, tmp_path: Path) -> None:
    root = write_folder(tmp_path / "code")
    follower = JobRunner(settings(tmp_path), Pool(database))
    job = await follower.submit(TENANT, FolderWork(str(root)))
    events: list[JobEvent] = []

    async def follow() -> None:
        async for event in follower.watch(TENANT, job.job_id):
            events.append(event)  # noqa: PERF401 - those that came are kept when it fails

    async with process(endpoint, tmp_path, pause_s=0.3):
        await asyncio.wait_for(follow(), WAIT_S)

    assert events[0][0].status is JobStatus.QUEUED
    assert events[-1][0].status is JobStatus.DONE
    told = [file.path for _, file in events if file is not None]
    assert sorted(told) == [f"m{number:03}.py" for number in range(FILES)]
    done = [view.files_done for view, _ in events]
    assert done == sorted(done)
    assert any(view.status is JobStatus.RUNNING and view.eta_s is not None for view, _ in events)
    assert [view.status async for view, _ in follower.watch(TENANT, job.job_id)] == [JobStatus.DONE]
    with pytest.raises(NotFound):
        await anext(follower.watch(TENANT, "job-none"))


async def test_progress_is_written_every_half_second_at_most(
    database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = write_folder(tmp_path / "code")
    written: list[float] = []
    really = jobs.report_job

    async def report(*args, **kwargs):
        written.append(time.monotonic())
        return await really(*args, **kwargs)

    monkeypatch.setattr("api.jobs.reporter.report_job", report)
    monkeypatch.setattr("extraction.batches.ROWS_PER_BATCH", 8)
    async with running(database, tmp_path) as runner:
        job = await runner.submit(TENANT, FolderWork(str(root)))
        view = await until(database, job.job_id, ended)

    assert view.files_done == FILES
    *during, _last = written
    assert during
    assert all(later - earlier >= 0.45 for earlier, later in itertools.pairwise(during))


async def test_pages_of_jobs_are_stable(database: Database, cypher: Cypher) -> None:
    for number in range(7):
        await jobs.create_job(database, job_id=f"job-{number}", kind="folder", lane=str(number), params=json.dumps({}))
    await cypher("MATCH (j:Job) SET j.created_at = datetime('2026-01-01T00:00:00Z')")
    await jobs.create_job(database, job_id="job-new", kind="folder", lane="new", params="{}")

    first = await jobs.fetch_job_page(database, first=3)
    await jobs.create_job(database, job_id="job-newest", kind="folder", lane="newest", params="{}")
    second = await jobs.fetch_job_page(database, first=10, after=first.keys[-1])

    assert [job.job_id for job in first.items] == ["job-new", "job-0", "job-1"]
    assert first.has_next
    assert [job.job_id for job in second.items] == [f"job-{number}" for number in range(2, 7)]
    assert not second.has_next
    await jobs.cancel_job(database, "job-3")
    assert await jobs.count_jobs(database, status="CANCELLED") == 1
    cancelled = await jobs.fetch_job_page(database, status="CANCELLED", first=5)
    assert [job.job_id for job in cancelled.items] == ["job-3"]
    with pytest.raises(InvalidInput):
        await jobs.fetch_job_page(database, first=1, after=("a", "b"))


async def test_old_jobs_are_forgotten_with_their_files(database: Database, cypher: Cypher) -> None:
    for number in range(4):
        await jobs.create_job(database, job_id=f"job-{number}", kind="folder", lane="", params="{}")
        await jobs.claim_job(database, owner="me")
        files = [JobFileView("a.py", "DONE", None, 0)]
        await jobs.report_job(database, f"job-{number}", owner="me", progress=JobProgress(1, 1), files=files)
        await jobs.finish_job(database, f"job-{number}", owner="me", status=JobStatus.DONE)
    await jobs.create_job(database, job_id="job-waiting", kind="folder", lane="", params="{}")

    await jobs.prune_jobs(database, keep=1)

    left = await cypher("MATCH (j:Job) RETURN j.job_id AS id ORDER BY id")
    assert [row["id"] for row in left] == ["job-3", "job-waiting"]
    assert await cypher("MATCH (f:JobFile) RETURN f.job_id AS id") == [{"id": "job-3"}]


async def test_a_run_without_pruning_leaves_it_to_the_next(database: Database, tmp_path: Path) -> None:
    root = write_folder(tmp_path / "code", 3)
    await index_folder(database, root, options=IndexOptions(workers=1))
    (root / "m002.py").unlink()

    kept = await index_folder(database, root, options=IndexOptions(workers=1, prune=False))
    pruned = await index_folder(database, root, options=IndexOptions(workers=1))

    assert (kept.files_removed, pruned.files_removed) == (0, 1)
    assert (await get_stats(database)).documents == 2


async def test_globs_choose_what_a_folder_s_graph_holds(database: Database, cypher: Cypher, tmp_path: Path) -> None:
    root = write_folder(tmp_path / "code", 4)
    await index_folder(database, root, options=IndexOptions(workers=1))
    some = IndexOptions(workers=1, include=("m00[0-2].py",), exclude=("m001.py",))

    report = await index_folder(database, root, options=some)

    narrowed = await get_graph_hash(database)
    assert [(skipped.path, skipped.reason) for skipped in report.skipped] == [("m001.py", "left out by `exclude`")]
    paths = await cypher("MATCH (d:Document) RETURN d.path AS path ORDER BY path")
    assert [row["path"] for row in paths] == ["m000.py", "m002.py"]
    await cypher.clear()
    await index_folder(database, root, options=some)
    assert await get_graph_hash(database) == narrowed


async def test_cancelling_in_the_same_process(database: Database, tmp_path: Path, monkeypatch) -> None:
    from extraction.batches import Batcher

    root = write_folder(tmp_path / "code")
    entered, go_on = threading.Event(), threading.Event()
    really = Batcher.next_batch

    def wait(self):
        entered.set()
        go_on.wait(WAIT_S)
        return really(self)

    monkeypatch.setattr(Batcher, "next_batch", wait)
    async with running(database, tmp_path) as runner:
        job = await runner.submit(TENANT, FolderWork(str(root)))
        assert await asyncio.to_thread(entered.wait, WAIT_S)
        await runner.cancel(TENANT, job.job_id)
        go_on.set()
        view = await until(database, job.job_id, ended)
    assert view.status is JobStatus.CANCELLED
    assert (await get_stats(database)).documents == view.files_done


async def test_jobs_of_a_tenant_that_is_gone_end_and_are_forgotten(database: Database, tmp_path: Path) -> None:
    root = write_folder(tmp_path / "code")
    pool = Pool(database)
    async with running(database, tmp_path, pool=pool) as runner:
        first = await runner.submit(TENANT, FolderWork(str(root)))
        await until(database, first.job_id, lambda view: view.status is JobStatus.RUNNING)
        upload = new_upload(runner, "upload", b"text")
        await runner.submit_upload(TENANT, upload, name="a.md")
        pool.unknown.add(TENANT)

        await runner.abandon(TENANT)

        assert runner.running == 0
        assert not upload.exists()
        assert PendingJobs(tmp_path / "pending-jobs").fetch() == []
        await runner.abandon(TenantId("another"))


async def test_a_place_that_has_become_a_link_is_not_read(database: Database, cypher: Cypher, tmp_path: Path) -> None:
    root, secret = write_folder(tmp_path / "code", 1), write_folder(tmp_path / "secret", 2)
    runner = JobRunner(settings(tmp_path), Pool(database), poll_s=0.1)
    submitted = [
        await runner.submit(TENANT, FolderWork(str(root))),
        await runner.submit(TENANT, FileWork(file=str(root / "m000.py"), name="m000.py")),
    ]
    root.rename(tmp_path / "moved")
    root.symlink_to(secret)
    await runner.start()
    for job in submitted:
        view = await until(database, job.job_id, ended)
        assert view.status is JobStatus.FAILED
        assert "link" in (view.error or "")
    await runner.close()
    assert await cypher("MATCH (d:Document) RETURN d.path") == []
