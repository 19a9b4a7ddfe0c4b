"""The processes that read documents for this one: a small pool, started when needed, each one used again."""

import atexit
import contextlib
import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Generator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Final

import msgspec

from extraction.documents.serving import Reply, Request
from extraction.documents.text import DocumentText
from extraction.source import SourceFailed, SourceSkipped, describe_trouble

_PROJECT: Final = Path(__file__).parents[2]
_START_TIMEOUT_S: Final = 60.0
_LOOK_S: Final = 0.05
_DECODER: Final = msgspec.msgpack.Decoder(Reply)
# The kernel ends a process with the *thread* that started it (PR_SET_PDEATHSIG): this one lives as long as the program.
_STARTER: Final = ThreadPoolExecutor(1, thread_name_prefix="reader-starter")


class ReadCancelled(SourceFailed):
    """The reading was called off."""


class Worker:
    """One process. It reads one document at a time, for one thread at a time."""

    def __init__(self) -> None:
        self._connection, theirs = multiprocessing.Pipe()
        self._greeted = self._stopped = False
        try:
            self._process = _STARTER.submit(_start, theirs.fileno()).result()
        except OSError as exc:
            self._connection.close()
            raise SourceFailed(f"the process that reads it can't be started: {describe_trouble(exc)}") from exc
        except RuntimeError as exc:
            self._connection.close()
            raise ReadCancelled("called off: the program is ending") from exc
        finally:
            theirs.close()

    @property
    def is_alive(self) -> bool:
        """Whether it can take a document."""
        return self._process.poll() is None

    @property
    def pid(self) -> int:
        """The number of its process."""
        return self._process.pid

    def read(self, request: Request, cancel: threading.Event | None) -> DocumentText:
        """The text of a file. Raises SourceSkipped, SourceFailed; the process may be gone afterwards."""
        try:
            reply = self._exchange(request, cancel)
        except (EOFError, OSError) as exc:
            raise self._explain_loss(request) from exc
        except BaseException:
            self.stop()
            raise
        match reply.status:
            case "done":
                return reply.text
            case "skipped":
                raise SourceSkipped(reply.reason)
            case "failed":
                raise SourceFailed(reply.reason)
            case "memory":
                self.stop()
                raise SourceFailed(f"needs more than {_describe_memory(request)} of memory to be read")

    def stop(self) -> None:
        """End the process at once, whatever it does."""
        self._stopped = True
        self._process.kill()
        self._process.wait()

    def close(self) -> None:
        """End the process and let go of it; for the thread that uses it."""
        self.stop()
        self._connection.close()

    def _exchange(self, request: Request, cancel: threading.Event | None) -> Reply:
        if not self._greeted:
            self._receive(_START_TIMEOUT_S, cancel, "to start its reader")
            self._greeted = True
        self._connection.send(request)
        return _DECODER.decode(self._receive(request.timeout_s, cancel, "to be read"))

    def _receive(self, timeout_s: float, cancel: threading.Event | None, what: str) -> bytes:
        deadline = time.monotonic() + timeout_s
        while not self._connection.poll(min(_LOOK_S, timeout_s)):
            if cancel is not None and cancel.is_set():
                raise ReadCancelled("called off")
            if time.monotonic() > deadline:
                raise SourceFailed(f"took more than {timeout_s:g} s {what}")
        return self._connection.recv_bytes()

    def _explain_loss(self, request: Request) -> SourceFailed:
        if self._stopped:
            return ReadCancelled("called off")
        self.stop()
        code = self._process.returncode
        if code == -signal.SIGXCPU:
            return SourceFailed(f"took more than {request.timeout_s:g} s to be read")
        ending = signal.Signals(-code).name if code < 0 else f"code {code}"
        return SourceFailed(
            f"the process that read it died ({ending}): "
            f"it is damaged, or needs more than {_describe_memory(request)} of memory"
        )


class _Pool:
    """Never more processes than processors; those that are idle wait for the next document."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._places = threading.BoundedSemaphore(os.cpu_count() or 1)
        self._idle: list[Worker] = []
        self._all: set[Worker] = set()

    @contextlib.contextmanager
    def borrow(self, cancel: threading.Event | None) -> Generator[Worker]:
        """A worker for one document. Raises ReadCancelled."""
        while not self._places.acquire(timeout=_LOOK_S):
            if cancel is not None and cancel.is_set():
                raise ReadCancelled("called off")
        try:
            worker = self._take()
            try:
                yield worker
            finally:
                self._give_back(worker)
        finally:
            self._places.release()

    def close(self) -> None:
        """End all processes; those that read have their documents called off."""
        with self._lock:
            idle, busy = self._idle, self._all.difference(self._idle)
            self._idle, self._all = [], set()
        for worker in busy:
            worker.stop()
        for worker in idle:
            worker.close()

    def _take(self) -> Worker:
        with self._lock:
            while self._idle:
                worker = self._idle.pop()
                if worker.is_alive:
                    return worker
                self._all.discard(worker)
                worker.close()
        worker = Worker()
        with self._lock:
            self._all.add(worker)
        return worker

    def _give_back(self, worker: Worker) -> None:
        with self._lock:
            if worker in self._all and worker.is_alive:
                self._idle.append(worker)
                return
            self._all.discard(worker)
        worker.close()


_POOL: Final = _Pool()


def read_apart(request: Request, *, cancel: threading.Event | None = None) -> DocumentText:
    """Read a file in another process. Raises SourceSkipped, SourceFailed, and ReadCancelled once `cancel` is set."""
    with _POOL.borrow(cancel) as worker:
        return worker.read(request, cancel)


def close_workers() -> None:
    """End the reading processes. What is being read is called off; a later document starts another one."""
    _POOL.close()


def _start(descriptor: int) -> "subprocess.Popen[bytes]":
    command = [sys.executable, "-m", "extraction.documents.serving", str(descriptor), str(os.getpid())]
    return subprocess.Popen(  # noqa: S603 - this very package
        command,
        cwd=_PROJECT,  # so that the package is found where it isn't installed
        pass_fds=(descriptor,),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


def _describe_memory(request: Request) -> str:
    return f"{request.memory_bytes / 1e9:.1f} GB"


atexit.register(close_workers)
