"""What `cogniverse export` and `import` share: a bar that counts records, where somebody looks."""

from types import TracebackType
from typing import Self

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeRemainingColumn

from api.cli.progress import RateColumn
from api.cli.terminal import Terminal, is_quiet


class RecordsBar:
    """A bar for each step on standard error; nothing where that is no terminal."""

    def __init__(self, terminal: Terminal) -> None:
        self._bars = Progress(
            TextColumn("{task.description:<8}"),
            BarColumn(bar_width=24),
            MofNCompleteColumn(),
            TextColumn("records"),
            RateColumn(),
            TextColumn("eta"),
            TimeRemainingColumn(),
            console=terminal.err,
            disable=is_quiet() or not terminal.err.is_terminal,
        )
        self._tasks: dict[str, TaskID] = {}

    def __enter__(self) -> Self:
        self._bars.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def stop(self) -> None:
        """Leave the terminal as it was."""
        self._bars.stop()

    def update(self, step: str, done: int, total: int = 0) -> None:
        """Show how far a step is; a `total` of 0 is not known."""
        if step not in self._tasks:
            self._tasks[step] = self._bars.add_task(step, total=total or None)
        self._bars.update(self._tasks[step], completed=done, total=total or None)
