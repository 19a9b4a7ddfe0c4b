"""Ctrl-C while the graph is being written: once to stop at a whole state, twice to stop at once."""

import os
import signal
import threading
from collections.abc import Callable
from contextlib import suppress
from multiprocessing import forkserver
from types import FrameType, TracebackType
from typing import Self

import psutil

from api.cli.outcome import ExitCode


class Interruption:
    """While entered, the first Ctrl-C sets `event` and the second ends the process. For the main thread."""

    def __init__(self, *, on_first: Callable[[], None], on_second: Callable[[], None]) -> None:
        self.event = threading.Event()
        self._on_first = on_first
        self._on_second = on_second

    def __enter__(self) -> Self:
        # A terminal's Ctrl-C reaches workers as well; what is started while it is ignored leaves it to us.
        self._before = signal.signal(signal.SIGINT, signal.SIG_IGN)
        if os.name == "posix":
            forkserver.ensure_running()
        # Not the event loop's own way: a signal must count while the loop is busy, too.
        signal.signal(signal.SIGINT, self._handle)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        signal.signal(signal.SIGINT, self._before)

    def _handle(self, number: int, frame: FrameType | None) -> None:  # noqa: ARG002 - a handler's signature
        if not self.event.is_set():
            self.event.set()
            self._on_first()
            return
        self._on_second()
        # Workers, and what forks them, would wait for ever for work that nobody sends. The server is no child of ours.
        for child in psutil.Process().children(recursive=True):
            with suppress(psutil.NoSuchProcess):
                child.kill()
        os._exit(ExitCode.INTERRUPTED)
