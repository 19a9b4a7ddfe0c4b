"""Neo4j's own files, fetched once with a progress bar."""

import threading
from typing import TYPE_CHECKING

from rich.progress import (
    BarColumn,
    DownloadColumn,
    Progress,
    TaskID,
    TextColumn,
    TimeRemainingColumn,
    TransferSpeedColumn,
)
from rich.text import Text

from api.cli.terminal import Terminal, is_quiet
from api.config import Settings

if TYPE_CHECKING:
    from graph.embedded import artifacts

_MEGABYTE = 1_000_000
_LOG_STEPS = 10


def fetch_server(settings: Settings, terminal: Terminal) -> None:
    """Fetch what is missing of the server; at once when nothing is, or others run it. Raises DownloadFailed."""
    if not settings.runs_servers:
        return
    from graph.embedded.artifacts import fetch_installation, get_installation

    installation = get_installation(settings.cache_dir)
    if installation.is_complete:
        return
    lock = installation.lock
    terminal.note(
        Text(
            f"Fetching Neo4j {lock.version} with Graph Data Science: {len(lock.artifacts)} files, "
            f"{lock.size_bytes / _MEGABYTE:,.0f} MB, into {installation.root}"
        )
    )
    bar = Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        DownloadColumn(),
        TransferSpeedColumn(),
        TextColumn("eta"),
        TimeRemainingColumn(),
        console=terminal.err,
        disable=is_quiet() or not terminal.err.is_terminal,
    )
    with bar:
        view = _View(terminal, bar, bar.add_task("fetch", total=lock.size_bytes))
        try:
            fetch_installation(settings.cache_dir, on_progress=view.update)
        except KeyboardInterrupt:
            terminal.note(Text("Stopped. What was fetched stays; run the same command again to go on.", "yellow"))
            raise
    terminal.note(Text("Every file is there and has the right sha256.", "dim"))


class _View:
    """A bar for people; a line for each tenth where nobody looks."""

    def __init__(self, terminal: Terminal, bar: Progress, task: TaskID) -> None:
        self._terminal = terminal
        self._bar = bar
        self._task = task
        self._said = 0
        self._lock = threading.Lock()

    def update(self, progress: "artifacts.Progress") -> None:
        files = f"{progress.files_done}/{progress.files_total} files"
        self._bar.update(self._task, completed=progress.bytes_done, description=files)
        if self._terminal.err.is_terminal:
            return
        step = progress.bytes_done * _LOG_STEPS // max(progress.bytes_total, 1)
        with self._lock:
            if step > self._said:
                self._said = step
                self._terminal.note(
                    f"{files}, {progress.bytes_done / _MEGABYTE:,.0f} of {progress.bytes_total / _MEGABYTE:,.0f} MB"
                )
