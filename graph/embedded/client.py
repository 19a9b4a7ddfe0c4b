"""What a program does with a tenant's server: have it run, stop it, ask how it is."""

import os
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import psutil
from filelock import Timeout

from graph.embedded import server
from graph.embedded.folder import LaunchOrder, Phase, ServerState, TenantFolder, write_record
from graph.embedded.process import run_detached
from graph.errors import Conflict, ServerFailed, UnknownTenant
from graph.room import Room

_POLL_S = 0.05
_SPAWN_S = 20.0
_KILL_S = 10.0
_START_SHARE = 4  # so that a server that may not write any more can still be read from

OnEvent = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class ServerStatus:
    """How a tenant's server is. Sizes in bytes, times in seconds; None where no server runs."""

    phase: Phase
    reason: str
    bolt_port: int | None
    http_port: int | None
    supervisor_pid: int | None
    jvm_pid: int | None
    data_bytes: int
    uptime_s: float | None
    resident_bytes: int | None
    clients: int | None
    idle_s: float | None


def silent(_event: str) -> None:
    """Drop an event."""


def ensure_running(folder: TenantFolder, order: LaunchOrder, *, on_event: OnEvent = silent) -> ServerState:
    """Return the state of a server that is ready, after starting it if there is none.

    Callers at the same time, in this or other processes, share one server. Raises ServerFailed with the lines of its
    log when it can't be started, Conflict when another operation holds the tenant for too long, UnknownTenant when the
    tenant was deleted meanwhile.
    """
    folder.touch()  # before the look: see Supervisor._watch
    state = folder.find_state()
    if state is not None and state.is_serving:
        return state
    with exclusive(folder, timeout_s=order.start_timeout_s + order.stop_timeout_s):
        check_live(folder)
        return ensure_running_held(folder, order, on_event=on_event)


def ensure_running_held(folder: TenantFolder, order: LaunchOrder, *, on_event: OnEvent = silent) -> ServerState:
    """Do what `ensure_running` does, for a caller that holds the operation lock."""
    state = _settled_state(folder, order)
    if state is None:
        Room(folder.root, order.least_free_bytes // _START_SHARE).check("to start Neo4j and recover what it holds")
        on_event("starting Neo4j")
        state = _start(folder, order)
        if state.note:
            on_event(state.note)
        on_event(f"Neo4j is ready after {time.time() - state.started_at:.1f} s")
    return state


def stop(folder: TenantFolder, *, timeout_s: float) -> bool:
    """Stop the server and return once it is gone; False when none ran. After `timeout_s` it is ended by force."""
    with exclusive(folder, timeout_s=timeout_s):
        return folder.root.is_dir() and stop_held(folder, timeout_s=timeout_s)


def stop_held(folder: TenantFolder, *, timeout_s: float) -> bool:
    """Do what `stop` does, for a caller that holds the operation lock."""
    ran = not _is_unsupervised(folder)
    if ran:
        _end_supervisor(folder, timeout_s=timeout_s)
    return _end_orphan(folder) or ran


def end_held(folder: TenantFolder) -> None:
    """End the server by force, for a caller that holds the operation lock and has no use for its data any more.

    A polite stop would wait until every statement that is under way has noticed.
    """
    state = folder.find_state()
    jvm = state.jvm.find() if state and state.jvm else None
    if jvm is not None:
        with suppress(psutil.Error):
            jvm.kill()
            jvm.wait(_KILL_S)
    stop_held(folder, timeout_s=_KILL_S)


def get_status(folder: TenantFolder) -> ServerStatus:
    """Look at a tenant's server without touching or waiting for it."""
    state = folder.find_state()
    data_bytes = _size_bytes(folder.root)
    jvm = state.jvm.find() if state and state.jvm else None
    if state is None or state.supervisor.find() is None or jvm is None:
        phase, reason = _phase_of_dead(state)
        return ServerStatus(phase, reason, None, None, None, None, data_bytes, None, None, None, None)
    try:
        clients = server.count_clients(jvm, (state.bolt_port, state.http_port))
        resident = jvm.memory_info().rss
    except psutil.Error:
        clients, resident = None, None
    return ServerStatus(
        phase=state.phase,
        reason=state.reason,
        bolt_port=state.bolt_port,
        http_port=state.http_port,
        supervisor_pid=state.supervisor.pid,
        jvm_pid=jvm.pid,
        data_bytes=data_bytes,
        uptime_s=time.time() - state.started_at,
        resident_bytes=resident,
        clients=clients,
        idle_s=0.0 if clients else folder.idle_s(),
    )


@contextmanager
def exclusive(folder: TenantFolder, *, timeout_s: float) -> Generator[None]:
    """Hold the tenant against every other start, stop, dump, load and end. Raises Conflict when it stays taken."""
    try:
        with folder.operation_lock().acquire(timeout=timeout_s):
            yield
    except Timeout as exc:
        raise Conflict(
            f"another command has been starting, stopping, dumping, loading or deleting {folder.root.name} for "
            f"{timeout_s:g} s: wait for it or end it, then try again."
        ) from exc


def check_live(folder: TenantFolder) -> None:
    """Raise UnknownTenant when the tenant is going or gone; to be called by who holds the operation lock."""
    if folder.find_live_marker() is None:
        raise UnknownTenant(f"{folder.root.name} is not a tenant any more: make it again.")


def _phase_of_dead(state: ServerState | None) -> tuple[Phase, str]:
    if state is None:
        return Phase.STOPPED, ""
    if state.phase in (Phase.STOPPED, Phase.FAILED):
        return state.phase, state.reason
    return Phase.FAILED, "its processes were ended from outside"


def _settled_state(folder: TenantFolder, order: LaunchOrder) -> ServerState | None:
    """Wait until there is a server that serves, or none at all (None), and nothing in between."""
    deadline = time.monotonic() + order.start_timeout_s + order.stop_timeout_s
    while not _is_unsupervised(folder):
        state = folder.find_state()
        if state is not None and state.is_serving:
            return state
        if time.monotonic() > deadline:
            _end_supervisor(folder, timeout_s=order.stop_timeout_s)
        time.sleep(_POLL_S)
    _end_orphan(folder)
    return None


def _start(folder: TenantFolder, order: LaunchOrder) -> ServerState:
    folder.make()
    write_record(folder.order, order)
    folder.state.unlink(missing_ok=True)
    folder.supervisor_log.unlink(missing_ok=True)
    if run_detached("graph.embedded.supervisor", folder.root, log=folder.supervisor_log):
        raise ServerFailed(f"the supervisor could not be started:\n{_supervisor_log(folder)}")
    return _await_ready(folder)


def _await_ready(folder: TenantFolder) -> ServerState:
    first_sign = time.monotonic() + _SPAWN_S
    while True:
        state = folder.find_state()
        if state is None and time.monotonic() > first_sign:
            raise ServerFailed(f"the supervisor gave no sign of life:\n{_supervisor_log(folder)}")
        if state is not None:
            if state.phase is Phase.READY:
                return state
            if state.phase in (Phase.FAILED, Phase.STOPPED):
                raise ServerFailed(state.reason)
            if state.supervisor.find() is None:
                _end_orphan(folder)
                raise ServerFailed(f"the supervisor died while Neo4j started:\n{_supervisor_log(folder)}")
        time.sleep(_POLL_S)


def _supervisor_log(folder: TenantFolder) -> str:
    return server.telling_lines(folder.supervisor_log.read_text("utf-8", errors="replace"))


def _is_unsupervised(folder: TenantFolder) -> bool:
    """Tell whether no supervisor lives. Its lock says so for sure: the kernel lets go of it when the process ends."""
    try:
        with folder.supervisor_lock().acquire(timeout=0):
            return True
    except Timeout:
        return False


def _end_supervisor(folder: TenantFolder, *, timeout_s: float) -> None:
    """End the living supervisor and return when it and its server are gone."""
    deadline = time.monotonic() + timeout_s
    told: psutil.Process | None = None
    while not _is_unsupervised(folder):
        state = folder.find_state()  # one that has only just started may not have written it yet
        supervisor = state.supervisor.find() if state else None
        with suppress(psutil.NoSuchProcess):
            if supervisor is not None and time.monotonic() > deadline:
                supervisor.kill()
                supervisor.wait(_KILL_S)
            elif supervisor is not None and supervisor != told:
                supervisor.terminate()
                told = supervisor
        if supervisor is None and time.monotonic() > deadline:
            raise Conflict(f"{folder.supervisor_lock().lock_file} is held by a process that is not on record: end it.")
        time.sleep(_POLL_S)
    if told is not None:
        with suppress(psutil.Error):
            told.wait(_KILL_S)


def _end_orphan(folder: TenantFolder) -> bool:
    """End a server that lost its supervisor; to be called only when none lives."""
    state = folder.find_state()
    orphan = state.jvm.find() if state and state.jvm else None
    if orphan is None:
        return False
    try:
        orphan.terminate()
        orphan.wait(_KILL_S)
    except psutil.TimeoutExpired:
        orphan.kill()
        orphan.wait(_KILL_S)
    except psutil.NoSuchProcess:
        return False
    return True


def _size_bytes(root: Path) -> int:
    total = 0
    for parent, _, files in os.walk(root):
        for file in files:
            with suppress(FileNotFoundError):  # the server may be at work
                total += (Path(parent) / file).stat().st_size
    return total
