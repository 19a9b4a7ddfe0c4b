"""Processes that outlive their caller, and ones that must not outlive their parent."""

import ctypes
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType

_PR_SET_PDEATHSIG = 1
_PROJECT = Path(__file__).parents[2]


def run_detached(module: str, argument: Path, *, log: Path) -> int:
    """Run `python -m module argument`, which must `detach` itself, in a session of its own; return its exit code.

    A Ctrl-C in the caller's terminal doesn't reach it, and the caller has no child to wait for.
    """
    with log.open("ab") as stream:
        return subprocess.run(  # noqa: S603 - this very package
            [sys.executable, "-m", module, str(argument)],
            cwd=_PROJECT,  # so that the package is found where it isn't installed
            stdin=subprocess.DEVNULL,
            stdout=stream,
            stderr=stream,
            start_new_session=True,
            check=False,
        ).returncode


def detach() -> None:
    """Go on as a process that nobody has to wait for; the one that was called ends here."""
    if os.fork():
        os._exit(0)


def on_sigterm(action: Callable[[], object]) -> None:
    """Have a polite end of this process do something first."""

    def handle(_number: int, _frame: FrameType | None) -> None:
        action()

    signal.signal(signal.SIGTERM, handle)


def die_with_parent() -> None:
    """Have the kernel end this process when its parent dies, however it dies; on Linux only, elsewhere nothing.

    For `preexec_fn`. Source: prctl(2), PR_SET_PDEATHSIG.
    """
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
