"""Following a job from outside, in whichever process it runs."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from dataclasses import replace
from typing import Final

from graph.database import Database
from graph.jobs import JobFileView, JobView, fetch_job_files, find_job, get_job

POLL_S: Final = 0.5
"""Seconds between two looks at a job."""

_FILES_A_LOOK: Final = 500

JobEvent = tuple[JobView, JobFileView | None]


async def follow_job(open_database: Callable[[], Awaitable[Database]], job_id: str) -> AsyncGenerator[JobEvent]:
    """Yield the job as it is, then at each change, a file that has ended at a time, to its end. Raises NotFound.

    Files that had ended before are not told again, unless the job has begun anew.
    """
    view = await get_job(await open_database(), job_id)
    yield view, None
    seen = view.files_done + view.files_skipped + view.files_failed - 1
    while not view.status.is_final:
        await asyncio.sleep(POLL_S)
        database = await open_database()
        now = await find_job(database, job_id)
        if now is None:
            return
        if now.run != view.run:
            seen = -1
        told = False
        while files := await fetch_job_files(database, job_id, after=seen, limit=_FILES_A_LOOK):
            for file in files:
                yield now, file
            told, seen = True, files[-1].ordinal
            if len(files) < _FILES_A_LOOK:
                break
        if not told and replace(now, eta_s=None) != replace(view, eta_s=None):
            yield now, None
        view = now
