"""The process that owns a tenant's server: `python -m graph.embedded.supervisor FOLDER`.

It starts the JVM, says in the state file how that goes, ends it when it is idle or told to (SIGTERM), and ends itself
with it. It restarts nothing: whoever needs the server next starts a new supervisor.
"""

import os
import shutil
import subprocess
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path

import msgspec
import psutil
from filelock import Timeout

from graph.embedded import aot, health, server
from graph.embedded.folder import (
    LaunchOrder,
    Phase,
    ProcessId,
    ServerState,
    TenantFolder,
    write_record,
)
from graph.embedded.process import detach, die_with_parent, on_sigterm, run_detached
from graph.errors import ServerFailed

_LOCK_WAIT_S = 10
_READY_EVERY_S = 0.1
_WATCH_EVERY_S = 0.5
_IDLE_EVERY_S = 5.0
_HEALTH_EVERY_S = 5.0
_PORT_TRIES = 4
_CONSOLE_BYTES = 4_000_000
_GAVE_UP = (
    "Neo4j could not write to {data} and took no more work; most likely its disk was full. Make room: the next command"
    " starts it again, and all that was committed is recovered."
)
_MENDED = (
    "The transaction log of the graph ended in the middle of a write, as after a full disk or a power cut:"
    " what followed the last whole one was cut off, and a copy of it kept below {data}."
)


class Ports(msgspec.Struct, frozen=True):
    """The ports of the last start, tried first at the next one."""

    bolt: int = 0
    http: int = 0


class Supervisor:
    """One life of one server."""

    def __init__(self, folder: TenantFolder, order: LaunchOrder, *, told_to_stop: threading.Event) -> None:
        self._folder = folder
        self._order = order
        self._told_to_stop = told_to_stop
        self._state = ServerState(phase=Phase.STARTING, supervisor=ProcessId.of(os.getpid()), started_at=time.time())

    def run(self) -> None:
        """Live from start to end; every end leaves its reason in the state file."""
        self._say(phase=Phase.STARTING)
        try:
            jvm = self._start()
        except ServerFailed as exc:
            self._say(phase=Phase.FAILED, reason=str(exc))
            return
        if jvm is None:
            self._say(phase=Phase.STOPPED, reason="told to stop while it started")
            return
        self._say(phase=Phase.READY)
        try:
            phase, reason = self._watch(jvm)
        finally:
            self._stop(jvm)
        self._say_at_end(phase=phase, reason=reason)

    def _say(self, **changes: object) -> None:
        self._state = msgspec.structs.replace(self._state, **changes)
        if self._folder.root.is_dir():  # else it was removed behind our back, and nobody will read it
            write_record(self._folder.state, self._state)

    def _start(self) -> "subprocess.Popen[bytes] | None":
        cache = Path(self._order.aot_cache)
        has_aot = use_aot = cache.is_file()
        mend_log = False
        tries_left = _PORT_TRIES
        while True:
            tries_left -= 1
            log_size = health.get_log_size(self._folder)
            jvm = self._launch(use_aot=use_aot, mend_log=mend_log)
            if self._wait_ready(jvm):
                failure = health.find_start_failure(self._folder, since=log_size)
                if failure is not None:
                    _kill(jvm)  # an orderly stop would write to what could not be read
                    if mend_log or not health.is_torn_at_end(self._folder, failure):
                        raise ServerFailed(f"Neo4j in {self._folder.root} could not open its database:\n{failure}")
                    mend_log = True
                    continue
                if mend_log:
                    self._say(note=_MENDED.format(data=self._folder.data() / "databases"))
                if has_aot and not use_aot:
                    cache.unlink(missing_ok=True)  # it was the cache that didn't work
                return jvm
            if self._told_to_stop.is_set():
                self._stop(jvm)
                return None
            if jvm.poll() is None:
                self._stop(jvm)
                raise ServerFailed(self._failure(f"did not answer within {self._order.start_timeout_s:g} s"))
            if not tries_left:
                raise ServerFailed(self._failure(f"ended while it started ({_exit(jvm)})"))
            if server.is_port_taken(server.read_console(self._folder)):
                continue  # someone bound it between our look and the server's: choose again
            if not use_aot:
                raise ServerFailed(self._failure(f"ended while it started ({_exit(jvm)})"))
            use_aot = False

    def _failure(self, what: str) -> str:
        lines = server.telling_lines(server.read_console(self._folder))
        return f"Neo4j in {self._folder.root} {what}; {self._folder.console} says:\n{lines}"

    def _launch(self, *, use_aot: bool, mend_log: bool) -> "subprocess.Popen[bytes]":
        last = _last_ports(self._folder)
        bolt_port = server.choose_port(last.bolt)
        http_port = server.choose_port(last.http)
        write_record(self._folder.ports, Ports(bolt_port, http_port))
        shutil.rmtree(self._folder.scratch, ignore_errors=True)
        self._folder.make()
        server.write_conf(self._order, self._folder, bolt_port=bolt_port, http_port=http_port, mend_log=mend_log)
        flags = aot.use_flags(Path(self._order.aot_cache)) if use_aot else ()
        command = server.server_command(self._order, self._folder, aot_flags=flags)
        self._folder.console.write_bytes(b"")
        with self._folder.console.open("ab") as console:  # so that it can be emptied while the server writes
            jvm = subprocess.Popen(  # noqa: S603 - our own Java and jars
                command,
                cwd=self._folder.root,
                stdin=subprocess.DEVNULL,
                stdout=console,
                stderr=subprocess.STDOUT,
                preexec_fn=die_with_parent,  # noqa: PLW1509 - one thread here
            )
        self._say(jvm=ProcessId.of(jvm.pid), bolt_port=bolt_port, http_port=http_port)
        return jvm

    def _wait_ready(self, jvm: "subprocess.Popen[bytes]") -> bool:
        process = psutil.Process(jvm.pid)
        deadline = time.monotonic() + self._order.start_timeout_s
        while time.monotonic() < deadline and jvm.poll() is None and not self._told_to_stop.is_set():
            if server.answers_bolt(process, self._state.bolt_port):
                return True
            self._told_to_stop.wait(_READY_EVERY_S)
        return False

    def _watch(self, jvm: "subprocess.Popen[bytes]") -> tuple[Phase, str]:
        """Return how the server's life ends, and why; when the JVM is gone there is nothing left to stop."""
        next_look = time.monotonic()
        next_check = next_look + _HEALTH_EVERY_S  # a server that has only just started has better things to do
        while jvm.poll() is None:
            if self._told_to_stop.wait(_WATCH_EVERY_S):
                self._say_at_end(phase=Phase.STOPPING)
                return Phase.STOPPED, "told to stop"
            if time.monotonic() >= next_check:
                next_check = time.monotonic() + _HEALTH_EVERY_S
                self._trim_console()
                if health.has_stopped_working(self._folder, self._state.http_port):
                    return Phase.FAILED, _GAVE_UP.format(data=self._folder.data())
            if time.monotonic() >= next_look:
                next_look = time.monotonic() + min(_IDLE_EVERY_S, self._order.idle_timeout_s / 4)
                if not self._folder.root.is_dir():
                    return Phase.STOPPED, "its folder is gone"
                if self._is_idle(jvm.pid):
                    # A client touches first and reads the state second, so one of the two sees the other.
                    self._say_at_end(phase=Phase.STOPPING)
                    if self._is_idle(jvm.pid):
                        return Phase.STOPPED, f"idle for {self._order.idle_timeout_s:g} s"
                    self._say(phase=Phase.READY)
        lines = server.telling_lines(server.read_console(self._folder))
        return Phase.FAILED, f"the server died ({_exit(jvm)}); its log says:\n{lines}"

    def _say_at_end(self, **changes: object) -> None:
        with suppress(OSError):  # on a full disk its processes, which are gone soon, say enough
            self._say(**changes)

    def _trim_console(self) -> None:
        with suppress(OSError):
            if self._folder.console.stat().st_size > _CONSOLE_BYTES:
                os.truncate(self._folder.console, 0)

    def _is_idle(self, pid: int) -> bool:
        if not self._order.idle_timeout_s:
            return False
        try:
            ports = (self._state.bolt_port, self._state.http_port)
            if server.count_clients(psutil.Process(pid), ports):
                self._folder.touch()
        except psutil.Error:
            return False
        return self._folder.idle_s() >= self._order.idle_timeout_s

    def _stop(self, jvm: "subprocess.Popen[bytes]") -> None:
        if jvm.poll() is None and health.has_stopped_working(self._folder, self._state.http_port):
            # An orderly stop would append the rest of a broken write to the transaction log, after a gap. Without
            # it the log ends in a part of a write, which recovery passes over.
            jvm.kill()
        jvm.terminate()
        try:
            jvm.wait(self._order.stop_timeout_s)
        except subprocess.TimeoutExpired:
            _kill(jvm)


def _kill(jvm: "subprocess.Popen[bytes]") -> None:
    jvm.kill()
    jvm.wait()


def _exit(jvm: "subprocess.Popen[bytes]") -> str:
    code = jvm.returncode
    return f"signal {-code}" if code < 0 else f"exit code {code}"


def _last_ports(folder: TenantFolder) -> Ports:
    try:
        return msgspec.json.decode(folder.ports.read_bytes(), type=Ports)
    except (FileNotFoundError, msgspec.DecodeError):
        return Ports()


def main(root: Path) -> None:
    """Run the supervisor of a tenant's folder in the background of whoever called."""
    detach()
    told_to_stop = threading.Event()
    on_sigterm(told_to_stop.set)
    folder = TenantFolder(root)
    order = folder.find_order()
    if order is None:
        raise SystemExit(f"{folder.order} is missing")
    try:
        with folder.supervisor_lock().acquire(timeout=_LOCK_WAIT_S):
            folder.touch()
            Supervisor(folder, order, told_to_stop=told_to_stop).run()
    except Timeout as exc:
        raise SystemExit(f"{root} has a supervisor already") from exc
    if order.train_aot and aot.is_wanted(Path(order.aot_cache)):
        run_detached("graph.embedded.aot", folder.order, log=folder.supervisor_log)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
