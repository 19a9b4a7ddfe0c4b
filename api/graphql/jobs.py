"""Jobs: ingestion that outlives its request."""

from datetime import datetime
from typing import Annotated, Any

import strawberry

from api.graphql.connections import Connection, check_first, paginate
from api.graphql.enums import DocumentStatus, JobStatus
from api.graphql.scope import TenantScope
from graph import jobs
from graph.answers import Key, Page
from graph.jobs import JobFileView, JobView


@strawberry.type(description="How one file of a job ended.")
class JobFile:
    path: str = strawberry.field(description="From the root of the folder.")
    status: DocumentStatus = strawberry.field(description="How it ended.")
    reason: str | None = strawberry.field(description="Why it was skipped or failed.")


@strawberry.type(description="A folder or large file on its way into the graph.")
class Job:
    id: strawberry.ID = strawberry.field(description="Unique within the tenant.")
    status: JobStatus = strawberry.field(description="Where it is in its life.")
    files_total: int = strawberry.field(description="How many files it has; 0 until they are counted.")
    files_done: int = strawberry.field(description="Files in the graph, unchanged ones among them.")
    files_skipped: int = strawberry.field(description="Files left out.")
    files_failed: int = strawberry.field(description="Files that could not be read.")
    started_at: datetime | None = strawberry.field(description="When it began to run.")
    finished_at: datetime | None = strawberry.field(description="When it ended.")
    eta_seconds: float | None = strawberry.field(
        description="Seconds to its end, by its speed so far; null if unknown."
    )
    error: str | None = strawberry.field(description="Why it failed.")
    scope: strawberry.Private[TenantScope]

    @strawberry.field(description="Its files in the order in which they ended.")
    async def files(
        self,
        status: Annotated[DocumentStatus | None, strawberry.argument(description="Only files that ended so.")] = None,
        first: Annotated[int | None, strawberry.argument(description="How many at most, 0 to 100.")] = 50,
    ) -> list[JobFile]:
        size = check_first(first, 50)
        if not size:
            return []
        wanted = None if status is None else str(status.value)
        found = await self.scope.ask(jobs.fetch_job_files, str(self.id), status=wanted, limit=size)
        return [make_job_file(view) for view in found]


@strawberry.type(description="A change of a job.")
class JobEvent:
    job: Job = strawberry.field(description="The job as it is now.")
    file: JobFile | None = strawberry.field(description="The file that has just ended.")


def make_job(scope: TenantScope, view: JobView) -> Job:
    """Return a job as shown."""
    return Job(
        id=strawberry.ID(view.job_id),
        status=JobStatus(view.status),
        files_total=view.files_total,
        files_done=view.files_done,
        files_skipped=view.files_skipped,
        files_failed=view.files_failed,
        started_at=view.started_at,
        finished_at=view.finished_at,
        eta_seconds=view.eta_s,
        error=view.error,
        scope=scope,
    )


def make_job_file(view: JobFileView) -> JobFile:
    """Return a job's file as shown."""
    return JobFile(path=view.path, status=DocumentStatus(view.status), reason=view.reason)


async def find_job(scope: TenantScope, job_id: str) -> Job | None:
    """Return a job of a tenant."""
    found = await scope.ask(jobs.find_job, job_id)
    return None if found is None else make_job(scope, found)


async def connect_jobs(
    scope: TenantScope, status: JobStatus | None, first: int | None, after: str | None
) -> Connection[Job]:
    """Return a page of a tenant's jobs, newest first."""
    space = scope.space("jobs")
    wanted = None if status is None else status.value

    async def fetch(size: int, start: Key | None) -> Page[JobView]:
        return await scope.ask(jobs.fetch_job_page, status=wanted, first=size, after=start)

    async def count() -> Any:
        return await scope.ask(jobs.count_jobs, status=wanted)

    return await paginate(
        fetch,
        lambda view: make_job(scope, view),
        space=space,
        first=first,
        default=20,
        after=after,
        count=count,
    )
