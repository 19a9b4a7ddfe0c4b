"""From a running job to the database: how far it is, every half second at most, and back: whether it is to stop."""

import asyncio
import threading
import time
from contextlib import suppress
from typing import Final

from api.jobs.eta import Estimate
from extraction.report import IndexProgress
from graph.database import Database
from graph.errors import CogniverseError
from graph.jobs import JobFileView, JobProgress, report_job
from graph.model import DocumentStatus

EVERY_S: Final = 0.5
"""The least time between two reports."""

_HEARTBEAT_S: Final = 2.0


class JobReporter:
    """Collects what a job tells and writes it while `run` runs.

    `stop` is set when the job must end: because somebody cancelled it (`cancelled`), or because it is not this
    runner's any longer (`lost`).
    """

    def __init__(self, database: Database, job_id: str, *, owner: str, stop: threading.Event) -> None:
        self._database = database
        self._job_id = job_id
        self._owner = owner
        self._stop = stop
        self._estimate = Estimate()
        self._total = 0
        self._counts = dict.fromkeys(DocumentStatus, 0)
        self._files: list[JobFileView] = []
        self._ordinal = 0
        self._changed = True
        self._written_at = 0.0
        self._ended = asyncio.Event()
        self.cancelled = False
        self.lost = False

    def on_total(self, total: int) -> None:
        """Hear how many files there are."""
        self._total, self._changed = total, True

    def on_file(self, path: str, status: DocumentStatus, reason: str | None) -> None:
        """Hear of a file that has ended."""
        self._files.append(JobFileView(path, status.value, reason, self._ordinal))
        self._ordinal += 1
        self._counts[status] += 1
        self._changed = True

    def on_progress(self, progress: IndexProgress) -> None:
        """Hear how far it is; from any thread."""
        self._estimate.update(progress)
        self._changed = True

    def end(self) -> None:
        """Let `run` come to its end."""
        self._ended.set()

    async def run(self) -> None:
        """Report until the end."""
        while not self._ended.is_set():
            with suppress(TimeoutError):
                await asyncio.wait_for(self._ended.wait(), EVERY_S)
                return
            if self._changed or time.monotonic() - self._written_at >= _HEARTBEAT_S:
                try:
                    await self.flush()
                except CogniverseError:
                    continue  # the job itself will notice a database that stays away

    async def flush(self) -> None:
        """Report now. Raises what the database raises; nothing is lost then."""
        if self.lost:
            return
        files, self._files, self._changed = self._files, [], False
        try:
            cancel = await report_job(
                self._database, self._job_id, owner=self._owner, progress=self._progress(), files=files
            )
        except BaseException:
            self._files[:0] = files
            self._changed = True
            raise
        self._written_at = time.monotonic()
        self.lost |= cancel is None
        self.cancelled |= cancel is True
        if self.lost or self.cancelled:
            self._stop.set()

    def _progress(self) -> JobProgress:
        return JobProgress(
            files_total=max(self._total, self._ordinal),
            files_done=self._counts[DocumentStatus.DONE],
            files_skipped=self._counts[DocumentStatus.SKIPPED],
            files_failed=self._counts[DocumentStatus.FAILED],
            eta_s=self._estimate.find_left_s(),
        )
