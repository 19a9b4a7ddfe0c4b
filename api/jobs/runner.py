"""The runner of jobs in one process of the API.

It takes those whose turn it is, sees them through, and parks them when the process ends.
"""

import asyncio
import logging
import threading
import time
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Protocol

from api.config import Settings
from api.embedding import embed_new
from api.jobs.following import JobEvent, follow_job
from api.jobs.hints import Hint, PendingJobs
from api.jobs.owners import Owners
from api.jobs.performing import Performed, perform
from api.jobs.reporter import JobReporter
from api.jobs.spool import Spool
from api.jobs.work import FileWork, Work, check_work, decode_work, encode_work
from api.modelling import Models
from api.observability.metrics import count_job
from graph.database import Database, without_deadline
from graph.errors import CogniverseError, NotAvailable, UnknownTenant
from graph.jobs import (
    ActiveJob,
    ClaimedJob,
    JobStatus,
    JobView,
    cancel_job,
    claim_job,
    create_job,
    fetch_active_jobs,
    find_job,
    finish_job,
    get_job,
    make_job_id,
    prune_jobs,
    requeue_job,
)
from graph.tenants import TenantId, directory_name

STALE_S: Final = 60.0
"""Seconds of silence after which a runner on another machine counts as dead."""

_POLL_S: Final = 2.0
_GRACE_S: Final = 3.0
_JOBS_KEPT: Final = 200
_UNMADE_S: Final = 60.0
_BACKOFF_S: Final = 30.0

_log = logging.getLogger(__name__)


class Tenants(Protocol):
    """Where databases come from."""

    async def get(self, tenant: TenantId, *, create: bool = False) -> Database:
        """The tenant's open database. Raises UnknownTenant."""
        ...


@dataclass(slots=True)
class _Running:
    """A job that runs here. Setting `stop` ends it at the next whole state."""

    tenant: TenantId
    stop: threading.Event
    task: asyncio.Task[None]


class JobRunner:
    """Runs jobs, `settings.job_slots` at a time, each tenant with pending jobs in its turn."""

    def __init__(
        self, settings: Settings, pool: Tenants, models: Models | None = None, *, poll_s: float = _POLL_S
    ) -> None:
        self._settings = settings
        self._models = models or Models(settings)
        self._pool = pool
        self._poll_s = poll_s
        self._hints = PendingJobs(settings.data_dir / "pending-jobs")
        self._owners = Owners(settings.data_dir / "job-owners")
        self._spool = Spool(settings.data_dir / "spool")
        self._wake = asyncio.Event()
        self._running: dict[str, _Running] = {}
        self._served: dict[TenantId, float] = {}
        self._shunned: dict[TenantId, float] = {}
        self._dispatcher: asyncio.Task[None] | None = None
        self._closing = False

    def get_spool_dir(self, tenant: TenantId) -> Path:
        """Return the folder in which a tenant's uploads become files; see `submit_upload`. It may have to be made."""
        return self._spool.get_folder(tenant)

    @property
    def running(self) -> int:
        """How many jobs run in this process."""
        return len(self._running)

    async def start(self) -> None:
        """Begin to take jobs, those first that an earlier process has left."""
        await asyncio.to_thread(self._owners.enter)
        hints = await asyncio.to_thread(self._hints.fetch)
        await asyncio.to_thread(self._spool.tidy, {hint.spooled for hint in hints if hint.spooled is not None})
        with without_deadline():
            self._dispatcher = asyncio.create_task(self._dispatch(), name="jobs")

    async def close(self, *, grace_s: float = _GRACE_S) -> None:
        """Take no more jobs; those that run may end within `grace_s` seconds and are put back to wait otherwise."""
        self._closing = True
        self._wake.set()
        if self._dispatcher is not None:
            # A job that is being claimed is not left behind; a server that is being started is not waited for.
            await asyncio.wait([self._dispatcher], timeout=grace_s)
            self._dispatcher.cancel()
            await asyncio.gather(self._dispatcher, return_exceptions=True)
            self._dispatcher = None
        tasks = [running.task for running in self._running.values()]
        if tasks:
            await asyncio.wait(tasks, timeout=grace_s)
            for running in self._running.values():
                running.stop.set()
            await asyncio.gather(*tasks, return_exceptions=True)
        await asyncio.to_thread(self._owners.leave)

    async def submit(self, tenant: TenantId, work: Work) -> JobView:
        """Make a job. Raises InvalidInput or UnsupportedFormat for bad work and LimitExceeded for a full queue."""
        check_work(work)
        params, job_id = encode_work(work), make_job_id()
        at_most = self._settings.job_queue + self.running
        spooled = Path(work.file) if isinstance(work, FileWork) and work.spooled else None
        await asyncio.to_thread(self._hints.add, tenant, job_id, at_most=at_most, spooled=spooled)
        try:
            database = await self._pool.get(tenant)
            view = await create_job(database, job_id=job_id, kind=work.kind, lane=work.lane, params=params)
        except CogniverseError:
            await asyncio.to_thread(self._hints.remove, tenant, job_id)
            raise
        self._wake.set()
        return view

    async def submit_upload(
        self, tenant: TenantId, file: Path, *, name: str, content_type: str = "auto", source_doc_id: str | None = None
    ) -> JobView:
        """Make a job of a file in the tenant's spool, which is the runner's from now on: it is removed in any case."""
        work = FileWork(file=str(file), name=name, content_type=content_type, source_doc_id=source_doc_id, spooled=True)
        try:
            return await self.submit(tenant, work)
        except BaseException:
            self._spool.remove(file)
            raise

    async def cancel(self, tenant: TenantId, job_id: str) -> JobView:
        """Cancel a job, wherever it runs; see `graph.jobs.cancel_job`. Raises NotFound."""
        view = await cancel_job(await self._pool.get(tenant), job_id)
        running = self._running.get(job_id)
        if running is not None and view.cancel_requested:
            running.stop.set()
        if view.status.is_final:
            await self._forget(tenant, job_id)
        return view

    async def abandon(self, tenant: TenantId) -> None:
        """End the jobs of a tenant that is gone or going, see those of this process to their end, and forget all."""
        hints = [hint for hint in await asyncio.to_thread(self._hints.fetch) if hint.tenant == tenant]
        running = [one for one in self._running.values() if one.tenant == tenant]
        for one in running:
            one.stop.set()
        if running:
            await asyncio.wait([one.task for one in running])
        await self._drop(hints)

    async def watch(self, tenant: TenantId, job_id: str) -> AsyncGenerator[JobEvent]:
        """Follow a job, wherever it runs; see `follow_job`. Raises NotFound."""

        async def open_database() -> Database:
            return await self._pool.get(tenant)

        async with aclosing(follow_job(open_database, job_id)) as events:
            async for event in events:
                yield event

    # -- taking

    async def _dispatch(self) -> None:
        while not self._closing:
            self._wake.clear()
            try:
                await self._take_all()
            except Exception:  # noqa: BLE001 - logged; the next look may fare better
                _log.exception("jobs could not be looked for")
            try:
                await asyncio.wait_for(self._wake.wait(), self._poll_s)
            except TimeoutError:
                continue

    async def _take_all(self) -> None:
        """Fill the free slots, one job a tenant and round, whoever was served longest ago first."""
        hints = await asyncio.to_thread(self._hints.fetch)
        tenants = sorted({hint.tenant for hint in hints}, key=lambda tenant: self._served.get(tenant, 0.0))
        took = True
        while took:
            took = False
            for tenant in tenants:
                if self._closing or self.running >= self._settings.job_slots:
                    return
                own = [hint for hint in hints if hint.tenant == tenant]
                took |= await self._take(tenant, own)

    async def _take(self, tenant: TenantId, hints: list[Hint]) -> bool:
        """Start the tenant's next job, if there is one."""
        if self._shunned.get(tenant, 0.0) > time.monotonic():
            return False
        try:
            database = await self._pool.get(tenant)
            await self._tidy(database, hints)
            claimed = await claim_job(database, owner=self._owners.own_id)
        except UnknownTenant:
            await self._drop(hints)
            return False
        except NotAvailable as exc:
            _log.warning("jobs of a tenant have to wait: %s", exc)
            self._shunned[tenant] = time.monotonic() + _BACKOFF_S
            return False
        if claimed is None:
            return False
        self._served[tenant] = time.monotonic()
        stop = threading.Event()
        task = asyncio.create_task(self._run(tenant, database, claimed, stop), name=claimed.job_id)
        self._running[claimed.job_id] = _Running(tenant, stop, task)
        task.add_done_callback(lambda _: self._ended(claimed.job_id))
        return True

    def _ended(self, job_id: str) -> None:
        del self._running[job_id]
        self._wake.set()

    async def _tidy(self, database: Database, hints: list[Hint]) -> None:
        """Put back to wait what a dead runner has left, and forget what has ended."""
        active = {job.job_id: job for job in await fetch_active_jobs(database)}
        for job in active.values():
            if job.owner is not None and await self._is_left(job):
                await requeue_job(database, job.job_id, owner=job.owner, crashed=True)
        for hint in hints:
            if hint.job_id not in active:
                view = await find_job(database, hint.job_id)
                if hint.age_s > _UNMADE_S if view is None else view.status.is_final:
                    await self._drop([hint])

    async def _is_left(self, job: ActiveJob) -> bool:
        if job.status != JobStatus.RUNNING or job.owner is None:
            return False
        if job.owner == self._owners.own_id:
            return job.job_id not in self._running
        alive = await asyncio.to_thread(self._owners.find_alive, job.owner)
        return (job.silent_s or 0.0) > STALE_S if alive is None else not alive

    # -- running

    async def _run(self, tenant: TenantId, database: Database, claimed: ClaimedJob, stop: threading.Event) -> None:
        """See a job through. What goes wrong here leaves it to `_tidy`."""
        reporter = JobReporter(database, claimed.job_id, owner=self._owners.own_id, stop=stop)
        reporting = asyncio.create_task(reporter.run())
        try:
            performed = await self._perform(tenant, database, claimed, reporter=reporter, stop=stop)
        finally:
            reporter.end()
            await asyncio.gather(reporting, return_exceptions=True)
        try:
            await reporter.flush()
            if not reporter.lost:
                await self._finish(tenant, database, claimed, reporter=reporter, performed=performed)
        except CogniverseError as exc:
            _log.warning("the end of %s could not be written: %s", claimed.job_id, exc)

    async def _perform(
        self,
        tenant: TenantId,
        database: Database,
        claimed: ClaimedJob,
        *,
        reporter: JobReporter,
        stop: threading.Event,
    ) -> Performed:
        try:
            performed = await perform(
                database,
                decode_work(claimed.params),
                models=await asyncio.to_thread(self._models.get_document_models, tenant),
                cache_dir=self._settings.cache_dir / "facts" / directory_name(tenant),
                workers=self._settings.workers,
                reporter=reporter,
                stop=stop,
            )
            degraded = await embed_new(database, self._models, cancel=stop) if performed.complete else ()
        except NotAvailable as exc:
            return Performed(complete=False, error=str(exc), passing=True)
        except CogniverseError as exc:
            return Performed(complete=False, error=str(exc))
        except Exception:  # noqa: BLE001 - logged, and shown as a failed job
            _log.exception("%s failed", claimed.job_id)
            return Performed(complete=False, error=f"A fault of the program ended it; its log names {claimed.job_id}.")
        for part in degraded:
            _log.warning("%s was done without vectors: %s", claimed.job_id, part.reason)
        return performed

    async def _finish(
        self,
        tenant: TenantId,
        database: Database,
        claimed: ClaimedJob,
        *,
        reporter: JobReporter,
        performed: Performed,
    ) -> None:
        owner = self._owners.own_id
        stopped = not performed.complete and performed.error is None
        cancelled = reporter.cancelled or (await get_job(database, claimed.job_id)).cancel_requested
        if performed.passing or (stopped and not cancelled):
            status = await requeue_job(database, claimed.job_id, owner=owner, crashed=performed.passing)
        else:
            ended = JobStatus.FAILED if performed.error is not None else JobStatus.DONE
            status = JobStatus.CANCELLED if stopped else ended
            if not await finish_job(database, claimed.job_id, owner=owner, status=status, error=performed.error):
                return
        if status is not None and status.is_final:
            count_job(status)
            await self._forget(tenant, claimed.job_id)
            await prune_jobs(database, keep=_JOBS_KEPT)

    async def _forget(self, tenant: TenantId, job_id: str) -> None:
        """Remove what a job that has ended leaves on disk."""
        hints = await asyncio.to_thread(self._hints.fetch)
        await self._drop([hint for hint in hints if (hint.tenant, hint.job_id) == (tenant, job_id)])

    async def _drop(self, hints: Sequence[Hint]) -> None:
        for hint in hints:
            if hint.spooled is not None:
                await asyncio.to_thread(self._spool.remove, hint.spooled)
            await asyncio.to_thread(self._hints.remove, hint.tenant, hint.job_id)
