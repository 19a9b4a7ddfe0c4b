"""The process that reads documents of formats which can be hostile, one after the other, within limits.

Run as `python -m extraction.documents.serving FD PARENT`: a connection to the parent, and its process id.
"""

import contextlib
import math
import os
import resource
import signal
import sys
import warnings
from collections.abc import Callable, Generator
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from typing import Final, Literal, cast

import msgspec

from extraction.documents.text import DocumentText
from extraction.source import SourceFailed, SourceSkipped
from graph.embedded.process import die_with_parent

Reader = Callable[[bytes], DocumentText]
"""What makes a text of a file. It reaches the process by its name: a function of a module."""

_FORBIDDEN: Final = (
    "socket.",
    "subprocess.",
    "os.system",
    "os.exec",
    "os.posix_spawn",
    "os.fork",
    "urllib.",
    "ftplib.",
)
_MEMORY: Final = (resource.RLIMIT_AS, resource.RLIMIT_DATA)
_CAUSE_CHARS: Final = 120


@dataclass(frozen=True, slots=True)
class Request:
    """A file to be read."""

    reader: Reader
    data: bytes
    timeout_s: float
    memory_bytes: int


@dataclass(frozen=True, slots=True)
class Reply:
    """What became of it: a text, or a reason. The process ends after `memory`."""

    status: Literal["done", "skipped", "failed", "memory"]
    text: DocumentText = field(default_factory=lambda: DocumentText(""))
    reason: str = ""


def serve(connection: Connection) -> None:
    """Answer one request after the other until the other side is gone."""
    encoder = msgspec.msgpack.Encoder()
    connection.send_bytes(b"ready")
    while True:
        try:
            request = cast("Request", connection.recv())
        except EOFError:
            return
        reply = _answer(request)
        connection.send_bytes(encoder.encode(reply))
        if reply.status == "memory":
            return


def _answer(request: Request) -> Reply:
    try:
        with _limited(request):
            return Reply("done", text=request.reader(request.data))
    except SourceSkipped as exc:
        return Reply("skipped", reason=str(exc))
    except SourceFailed as exc:
        return Reply("failed", reason=str(exc))
    except MemoryError:
        return Reply("memory")
    except RecursionError:
        return Reply("failed", reason="damaged: it is nested too deeply")
    except Exception as exc:  # noqa: BLE001 - what a foreign parser raises over a damaged file is in no list
        cause = " ".join(f"{type(exc).__name__}: {exc}".split())
        return Reply("failed", reason=f"damaged: it can't be read ({cause[:_CAUSE_CHARS]})")


@contextlib.contextmanager
def _limited(request: Request) -> Generator[None]:
    """Bound the processor time and the memory; a time that ends without an answer is the parent's to notice."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    seconds = math.ceil(used.ru_utime + used.ru_stime + request.timeout_s) + 1
    limits = {resource.RLIMIT_CPU: seconds} | dict.fromkeys(_MEMORY, request.memory_bytes)
    with contextlib.ExitStack() as stack:
        for what, amount in limits.items():
            stack.enter_context(_limit(what, amount))
        yield


@contextlib.contextmanager
def _limit(what: int, amount: int) -> Generator[None]:
    soft, hard = resource.getrlimit(what)
    with contextlib.suppress(ValueError, OSError):  # a system without it, or with a lower limit of its own
        resource.setrlimit(what, (amount, hard))
    try:
        yield
    finally:
        resource.setrlimit(what, (soft, hard))


def _refuse(event: str, _arguments: tuple[object, ...]) -> None:
    """An audit hook: no reader has business with the network or with other programs."""
    if event.startswith(_FORBIDDEN):
        raise PermissionError(f"A document's reader may not do this: {event}.")


def main() -> None:
    """Serve the parent that is named in the arguments, and end with it."""
    descriptor, parent = int(sys.argv[1]), int(sys.argv[2])
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent to act on
    die_with_parent()
    if os.getppid() != parent:  # it died before the kernel knew of our wish
        return
    warnings.simplefilter("ignore")
    sys.addaudithook(_refuse)
    with Connection(descriptor) as connection, contextlib.suppress(BrokenPipeError, ConnectionResetError):
        serve(connection)


if __name__ == "__main__":
    main()
