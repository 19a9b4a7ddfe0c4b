"""Ingestion jobs, kept in their tenant's database, so that they outlive the process that runs them.

A job is one runner's at a time: it is claimed under locks, and whatever a runner writes of it counts only while the job
is still its own. The graph itself (nodes, edges, mentions, documents) knows nothing of jobs.
"""

import secrets
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from typing import Final, TypeVar

from graph.answers import Key, Page
from graph.database import Database, Transaction
from graph.errors import InvalidInput, NotFound
from graph.quotas import check_jobs
from graph.statements import Nothing, load_statement

_Result = TypeVar("_Result")

MAX_CRASHES: Final = 3
"""Runners that may die of a job before it counts as failed."""

_FILES_PER_TRANSACTION: Final = 10_000
_FAR: Final = 2**62


class JobStatus(StrEnum):
    """Where a job is in its life."""

    QUEUED = "QUEUED"
    RUNNING = "RUNNING"
    DONE = "DONE"
    FAILED = "FAILED"
    CANCELLED = "CANCELLED"

    @property
    def is_final(self) -> bool:
        """Whether the job has ended."""
        return self not in {JobStatus.QUEUED, JobStatus.RUNNING}


@dataclass(frozen=True, slots=True)
class JobView:
    """A job. `files_*` count what its list has, folders that were left out among them; all 0 until files are counted.

    `eta_s` are the seconds to its end, None when unknown; `params` the JSON that it was made with; `run` counts the
    runners that it has had.
    """

    job_id: str
    kind: str
    status: JobStatus
    params: str
    files_total: int
    files_done: int
    files_skipped: int
    files_failed: int
    created_at: datetime
    started_at: datetime | None
    finished_at: datetime | None
    owner: str | None
    error: str | None
    cancel_requested: bool
    eta_s: float | None
    run: int


@dataclass(frozen=True, slots=True)
class JobFileView:
    """How a file of a job ended; `ordinal` counts them from 0 in the order in which they ended."""

    path: str
    status: str
    reason: str | None
    ordinal: int


@dataclass(frozen=True, slots=True)
class ActiveJob:
    """A job that waits or runs. `silent_s` are the seconds since its runner was last heard of."""

    job_id: str
    status: str
    owner: str | None
    silent_s: float | None


@dataclass(frozen=True, slots=True)
class ClaimedJob:
    """A job that a runner has got."""

    job_id: str
    kind: str
    params: str
    run: int


@dataclass(frozen=True, slots=True)
class JobProgress:
    """How far a job is; see JobView."""

    files_total: int = 0
    files_done: int = 0
    files_skipped: int = 0
    files_failed: int = 0
    eta_s: float | None = None


@dataclass(frozen=True, slots=True)
class _JobRow:
    job_id: str
    kind: str
    status: str
    params: str
    files_total: int
    files_done: int
    files_skipped: int
    files_failed: int
    created_ms: int
    started_ms: int | None
    finished_ms: int | None
    owner: str | None
    error: str | None
    cancel_requested: bool
    eta_s: float | None
    run: int


@dataclass(frozen=True, slots=True)
class _Reported:
    cancel_requested: bool


@dataclass(frozen=True, slots=True)
class _JobRef:
    job_id: str


@dataclass(frozen=True, slots=True)
class _Status:
    status: str


@dataclass(frozen=True, slots=True)
class _Count:
    count: int


_CREATE = load_statement("jobs/create_job", Nothing)
_FIND = load_statement("jobs/find_job", _JobRow)
_FETCH = load_statement("jobs/fetch_jobs", _JobRow)
_COUNT = load_statement("jobs/count_jobs", _Count)
_FETCH_ACTIVE = load_statement("jobs/fetch_active_jobs", ActiveJob)
_FETCH_FILES = load_statement("jobs/fetch_job_files", JobFileView)
_LOCK = load_statement("jobs/lock_job", _JobRef)
_LOCK_ACTIVE = load_statement("jobs/lock_active_jobs", Nothing)
_CLAIM = load_statement("jobs/claim_job", ClaimedJob)
_REPORT = load_statement("jobs/report_job", _Reported)
_CREATE_FILES = load_statement("jobs/create_job_files", Nothing)
_DELETE_FILES = load_statement("jobs/delete_job_files", _Count)
_FINISH = load_statement("jobs/finish_job", _JobRef)
_REQUEUE = load_statement("jobs/requeue_job", _Status)
_CANCEL = load_statement("jobs/cancel_job", _Status)
_FETCH_OLD = load_statement("jobs/fetch_old_jobs", _JobRef)
_DELETE = load_statement("jobs/delete_job", Nothing)


def make_job_id() -> str:
    """A new id, which can't be guessed."""
    return f"job-{secrets.token_hex(8)}"


async def create_job(database: Database, *, job_id: str, kind: str, lane: str, params: str) -> JobView:
    """Make a job that waits. Jobs of one `lane` never run at the same time; `params` is the runner's own JSON.

    Raises LimitExceeded where as many wait or run as the tenant may have.
    """

    async def work(transaction: Transaction) -> None:
        await transaction.run(_CREATE, job_id=job_id, kind=kind, lane=lane, params=params)
        await check_jobs(transaction)

    await database.write(work)
    return await get_job(database, job_id)


async def find_job(database: Database, job_id: str) -> JobView | None:
    """A job by its id, None when there is none."""
    row = await database.find(_FIND, job_id=job_id)
    return None if row is None else _view(row)


async def get_job(database: Database, job_id: str) -> JobView:
    """A job by its id. Raises NotFound."""
    found = await find_job(database, job_id)
    if found is None:
        raise NotFound(f"There is no job {job_id[:80]!r}: take an id from the list of jobs; old ones are forgotten.")
    return found


async def fetch_job_page(
    database: Database, *, status: str | None = None, first: int, after: Key | None = None
) -> Page[JobView]:
    """Jobs of one status or all, newest first, by id where times are equal. A page goes on after a key of another.

    Raises InvalidInput for a key that is none of these.
    """
    after_ms, after_id = _place(after)
    rows = await database.fetch(_FETCH, status=status, after_ms=after_ms, after_id=after_id, limit=first + 1)
    shown = rows[:first]
    return Page(
        items=tuple(_view(row) for row in shown),
        keys=tuple((row.created_ms, row.job_id) for row in shown),
        has_next=len(rows) > first,
    )


async def count_jobs(database: Database, *, status: str | None = None) -> int:
    """How many jobs there are, of one status or of all."""
    return (await database.fetch(_COUNT, status=status))[0].count


async def fetch_job_files(
    database: Database, job_id: str, *, status: str | None = None, limit: int, after: int = -1
) -> list[JobFileView]:
    """A job's files in the order in which they ended, those after an ordinal; none for an unknown job."""
    return await database.fetch(_FETCH_FILES, job_id=job_id, status=status, after=after, limit=limit)


async def fetch_active_jobs(database: Database) -> list[ActiveJob]:
    """The jobs that wait or run, oldest first."""
    return await database.fetch(_FETCH_ACTIVE)


async def cancel_job(database: Database, job_id: str) -> JobView:
    """Cancel a job: one that waits at once, a running one when its runner looks next. An ended one stays as it is.

    Raises NotFound.
    """

    async def work(transaction: Transaction) -> None:
        await transaction.run(_CANCEL, job_id=job_id)

    await _locked(database, job_id, work)
    return await get_job(database, job_id)


async def claim_job(database: Database, *, owner: str) -> ClaimedJob | None:
    """Take the oldest job whose turn it is, None when there is none. Of two runners that ask, one gets it."""

    async def work(transaction: Transaction) -> ClaimedJob | None:
        await transaction.run(_LOCK_ACTIVE)
        claimed = await transaction.run(_CLAIM, owner=owner)
        return claimed[0] if claimed else None

    claimed = await database.write(work)
    if claimed is not None and claimed.run > 1:
        await _delete_files(database, claimed.job_id)
    return claimed


async def report_job(
    database: Database, job_id: str, *, owner: str, progress: JobProgress, files: Sequence[JobFileView] = ()
) -> bool | None:
    """Write how far a job is, and the files that ended since. Tells whether it is to be cancelled.

    None when the job is not this runner's any longer: nothing is written, and it must stop.
    """

    async def work(transaction: Transaction) -> bool | None:
        reported = await transaction.run(
            _REPORT,
            job_id=job_id,
            owner=owner,
            files_total=progress.files_total,
            files_done=progress.files_done,
            files_skipped=progress.files_skipped,
            files_failed=progress.files_failed,
            eta_s=progress.eta_s,
        )
        if not reported:
            return None
        for start in range(0, len(files), _FILES_PER_TRANSACTION):
            rows = [_file_row(file) for file in files[start : start + _FILES_PER_TRANSACTION]]
            await transaction.run(_CREATE_FILES, job_id=job_id, rows=rows)
        return reported[0].cancel_requested

    return await _locked(database, job_id, work)


async def finish_job(
    database: Database, job_id: str, *, owner: str, status: JobStatus, error: str | None = None
) -> bool:
    """End a job. False, and nothing written, when it is not this runner's any longer."""

    async def work(transaction: Transaction) -> bool:
        params = {"job_id": job_id, "owner": owner, "status": status.value, "error": error}
        return bool(await transaction.run(_FINISH, **params))

    return await _locked(database, job_id, work) or False


async def requeue_job(database: Database, job_id: str, *, owner: str, crashed: bool) -> JobStatus | None:
    """Put a running job back to wait, because its owner stops or (`crashed`) has died.

    Returns what it is then: FAILED after too many crashes, CANCELLED when that was asked for. None when it is not
    `owner`'s any longer.
    """
    error = f"The process that ran it died {MAX_CRASHES} times, so it is not tried again. It may be out of memory."

    async def work(transaction: Transaction) -> JobStatus | None:
        params = {"job_id": job_id, "owner": owner, "crashed": crashed, "max_crashes": MAX_CRASHES, "error": error}
        changed = await transaction.run(_REQUEUE, **params)
        return JobStatus(changed[0].status) if changed else None

    return await _locked(database, job_id, work)


async def prune_jobs(database: Database, *, keep: int) -> None:
    """Forget ended jobs, with their lists, beyond the newest `keep`."""
    for row in await database.fetch(_FETCH_OLD, keep=keep, limit=100):
        await _delete_files(database, row.job_id)

        async def work(transaction: Transaction, job_id: str = row.job_id) -> None:
            await transaction.run(_DELETE, job_id=job_id)

        await database.write(work)


async def _locked(database: Database, job_id: str, work: Callable[[Transaction], Awaitable[_Result]]) -> _Result | None:
    """Do `work` on a job that nobody else can change meanwhile; None when there is no such job."""

    async def locked(transaction: Transaction) -> _Result | None:
        if not await transaction.run(_LOCK, job_id=job_id):
            return None
        return await work(transaction)

    return await database.write(locked)


async def _delete_files(database: Database, job_id: str) -> None:
    async def work(transaction: Transaction) -> int:
        return (await transaction.run(_DELETE_FILES, job_id=job_id, limit=_FILES_PER_TRANSACTION))[0].count

    while await database.write(work) == _FILES_PER_TRANSACTION:
        pass


def _file_row(file: JobFileView) -> dict[str, object]:
    return {"path": file.path, "status": file.status, "reason": file.reason, "ordinal": file.ordinal}


def _place(after: Key | None) -> tuple[int, str | None]:
    match after:
        case None:
            return _FAR, None
        case (int(created_ms), str(job_id)):
            return created_ms, job_id
        case _:
            raise InvalidInput("The place to go on from is none in a list of jobs: take it from another page.")


def _view(row: _JobRow) -> JobView:
    return JobView(
        job_id=row.job_id,
        kind=row.kind,
        status=JobStatus(row.status),
        params=row.params,
        files_total=row.files_total,
        files_done=row.files_done,
        files_skipped=row.files_skipped,
        files_failed=row.files_failed,
        created_at=_moment(row.created_ms),
        started_at=_moment(row.started_ms) if row.started_ms is not None else None,
        finished_at=_moment(row.finished_ms) if row.finished_ms is not None else None,
        owner=row.owner,
        error=row.error,
        cancel_requested=row.cancel_requested,
        eta_s=row.eta_s,
        run=row.run,
    )


def _moment(milliseconds: int) -> datetime:
    return datetime.fromtimestamp(milliseconds / 1000, tz=UTC)
