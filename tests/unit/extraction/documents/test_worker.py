"""The reading processes: used again, bounded, replaced when they are lost, gone when their parent is."""

import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psutil
import pytest

from extraction.documents.serving import Reader, Request
from extraction.documents.worker import ReadCancelled, close_workers, read_apart
from extraction.source import SourceFailed
from tests.unit.extraction.documents import hooks


@pytest.fixture(autouse=True)
def no_workers() -> Iterator[None]:
    close_workers()
    yield
    close_workers()


def run(
    reader: Reader,
    data: bytes = b"0",
    *,
    timeout_s: float = 30.0,
    memory_bytes: int = 400_000_000,
    cancel: threading.Event | None = None,
) -> str:
    return read_apart(Request(reader, data, timeout_s, memory_bytes), cancel=cancel).text


def wait_until(is_so: Callable[[], bool], *, timeout_s: float = 15.0) -> None:
    end = time.monotonic() + timeout_s
    while not is_so():
        assert time.monotonic() < end
        time.sleep(0.05)


def test_a_process_is_used_again() -> None:
    assert run(hooks.tell_pid) == run(hooks.tell_pid) != str(os.getpid())


def test_a_process_outlives_the_thread_that_asked_for_it() -> None:
    with ThreadPoolExecutor(1) as pool:
        first = pool.submit(run, hooks.tell_pid).result()
    time.sleep(0.2)

    assert run(hooks.tell_pid) == first


@pytest.mark.parametrize(
    ("reader", "reason"),
    [
        (hooks.hang, r"took more than 0\.5 s to be read"),
        (hooks.spin, r"took more than 0\.5 s to be read"),
        (hooks.eat_memory, r"needs more than 0\.4 GB of memory to be read"),
        (hooks.die, r"the process that read it died \(SIGSEGV\): .* 0\.4 GB of memory"),
        (hooks.leave, r"the process that read it died \(code 7\): .*"),
        (hooks.recurse, "damaged: it is nested too deeply"),
        (hooks.stumble, r"damaged: it can't be read \(LookupError: no such x+\)"),
        (hooks.call_out, r"damaged: .*PermissionError: A document's reader may not do this: socket\..*"),
        (hooks.run_a_program, r"damaged: .*PermissionError: A document's reader may not do this: .*"),
    ],
)
def test_what_a_reader_may_not_do_is_a_reason_and_the_next_document_is_read(reader: Reader, reason: str) -> None:
    run(hooks.tell_pid)
    with pytest.raises(SourceFailed) as caught:
        run(reader, timeout_s=0.5 if "took" in reason else 30.0)

    assert re.fullmatch(reason, str(caught.value))
    assert len(str(caught.value)) < 200
    assert run(hooks.tell_pid).isdecimal()


def test_processor_time_is_bounded_by_the_kernel_too() -> None:
    code = (
        "import sys, time; sys.path.insert(0, '.')\n"
        "from extraction.documents.serving import Request, _limited\n"
        "from tests.unit.extraction.documents.hooks import spin\n"
        "with _limited(Request(spin, b'', 0.1, 10**9)): spin(b'')"
    )
    ended = subprocess.run([sys.executable, "-c", code], cwd=Path(__file__).parents[4], timeout=30, check=False)

    assert ended.returncode == -signal.SIGXCPU


def test_a_process_that_is_killed_in_the_middle() -> None:
    pid = int(run(hooks.tell_pid))
    with ThreadPoolExecutor(1) as pool:
        reading = pool.submit(run, hooks.hang)
        time.sleep(0.3)
        os.kill(pid, signal.SIGKILL)
        with pytest.raises(SourceFailed, match=r"died \(SIGKILL\)"):
            reading.result()

    assert run(hooks.tell_pid) != str(pid)


def test_an_idle_process_that_was_killed_is_replaced() -> None:
    pid = int(run(hooks.tell_pid))
    os.kill(pid, signal.SIGKILL)
    wait_until(lambda: not psutil.pid_exists(pid) or psutil.Process(pid).status() == psutil.STATUS_ZOMBIE)

    assert run(hooks.tell_pid) != str(pid)


def test_interrupts_are_not_for_it() -> None:
    pid = int(run(hooks.tell_pid))
    os.kill(pid, signal.SIGINT)

    assert run(hooks.tell_pid, b"0.2") == str(pid)


def test_cancelling_ends_the_process() -> None:
    pid = int(run(hooks.tell_pid))
    cancel = threading.Event()
    threading.Timer(0.3, cancel.set).start()
    start = time.monotonic()

    with pytest.raises(ReadCancelled):
        run(hooks.hang, cancel=cancel)

    assert time.monotonic() - start < 10
    assert not psutil.pid_exists(pid)


def test_closing_calls_off_what_is_being_read() -> None:
    pid = int(run(hooks.tell_pid))
    with ThreadPoolExecutor(1) as pool:
        reading = pool.submit(run, hooks.hang)
        time.sleep(0.3)
        close_workers()
        with pytest.raises(ReadCancelled):
            reading.result()

    assert not psutil.pid_exists(pid)
    assert run(hooks.tell_pid) != str(pid)


def test_many_threads_share_a_process_for_each_processor() -> None:
    with ThreadPoolExecutor(8) as pool:
        pids = list(pool.map(lambda _: run(hooks.tell_pid, b"0.05"), range(16)))

    assert 1 <= len(set(pids)) <= (os.cpu_count() or 1)


def test_waiting_for_a_process_can_be_cancelled() -> None:
    count = os.cpu_count() or 1
    stop, cancel = threading.Event(), threading.Event()
    with ThreadPoolExecutor(count + 1) as pool:
        busy = [pool.submit(run, hooks.hang, cancel=stop) for _ in range(count)]
        time.sleep(0.5)
        waiting = pool.submit(run, hooks.tell_pid, cancel=cancel)
        cancel.set()
        with pytest.raises(ReadCancelled):
            waiting.result(timeout=10)
        stop.set()
        for reading in busy:
            with pytest.raises(ReadCancelled):
                reading.result(timeout=10)


def test_it_dies_with_its_parent() -> None:
    code = (
        "from extraction.documents.worker import read_apart\n"
        "from extraction.documents.serving import Request\n"
        "from tests.unit.extraction.documents import hooks\n"
        "print(read_apart(Request(hooks.tell_pid, b'0', 30.0, 10**9)).text, flush=True)\n"
        "read_apart(Request(hooks.hang, b'', 300.0, 10**9))"
    )
    root = Path(__file__).parents[4]
    with subprocess.Popen([sys.executable, "-c", code], cwd=root, stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        pid = int(parent.stdout.readline())
        assert psutil.pid_exists(pid)
        time.sleep(0.3)
        parent.kill()

    wait_until(lambda: not psutil.pid_exists(pid) or psutil.Process(pid).status() == psutil.STATUS_ZOMBIE)
