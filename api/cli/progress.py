"""The progress of an index run on standard error: a bar for people, a few lines for logs."""

import time
from types import TracebackType
from typing import Self

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    SpinnerColumn,
    Task,
    TaskID,
    TextColumn,
    TimeRemainingColumn,
)
from rich.text import Text

from api.cli.terminal import is_quiet
from extraction.report import IndexProgress, Stage

_LOG_INTERVAL_S = 10.0


class RateColumn(ProgressColumn):
    """Files a second."""

    def render(self, task: Task) -> Text:
        """Return the rate of the last seconds, or of the whole stage once it is done."""
        taken_s = task.finished_time if task.finished else task.elapsed
        speed = None if task.finished else task.speed
        if speed is None and taken_s:
            speed = task.completed / taken_s
        return Text("" if speed is None else f"{speed:,.0f}/s", "dim")


class ProgressView:
    """Shows each stage as it comes. Where nobody looks, a line at its begin and every ten seconds."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._bars = Progress(
            SpinnerColumn(finished_text=" "),
            TextColumn("{task.description:<8}"),
            BarColumn(bar_width=24),
            MofNCompleteColumn(),
            TextColumn("files"),
            RateColumn(),
            TextColumn("eta"),
            TimeRemainingColumn(),
            console=console,
        )
        self._tasks: dict[Stage, TaskID] = {}
        self._said_at = 0.0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def update(self, progress: IndexProgress) -> None:
        """Show how far a stage is."""
        if is_quiet():
            return
        if self._console.is_terminal:
            self._update_bar(progress)
        else:
            self._say(progress)

    def stop(self) -> None:
        """Leave the terminal as it was, the bars standing."""
        self._bars.stop()

    def _update_bar(self, progress: IndexProgress) -> None:
        total = progress.total or None
        if progress.stage not in self._tasks:
            self._bars.start()
            self._tasks[progress.stage] = self._bars.add_task(str(progress.stage), total=total)
        self._bars.update(self._tasks[progress.stage], completed=progress.done, total=total)

    def _say(self, progress: IndexProgress) -> None:
        now = time.monotonic()
        if progress.stage not in self._tasks:
            self._tasks[progress.stage] = TaskID(len(self._tasks))
            files = f": {progress.total:,} files" if progress.total else ""
            self._console.file.write(f"{progress.stage}{files}\n")
        elif now - self._said_at >= _LOG_INTERVAL_S:
            of = f" of {progress.total:,} files" if progress.total else ""
            self._console.file.write(f"{progress.stage}: {progress.done:,}{of}\n")
        else:
            return
        self._said_at = now
        self._console.file.flush()
