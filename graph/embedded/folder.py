"""A tenant's folder: what lies where, and the two small records that processes leave each other in it."""

import os
import time
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TypeVar

import msgspec
import psutil
from filelock import FileLock

_SAME_START_S = 2.0
_RecordT = TypeVar("_RecordT", bound=msgspec.Struct)


class Phase(StrEnum):
    """Where a server is in its life."""

    STARTING = "starting"
    READY = "ready"
    STOPPING = "stopping"
    STOPPED = "stopped"
    FAILED = "failed"


class ProcessId(msgspec.Struct, frozen=True):
    """A process that can't be mistaken for a later one with the same pid. `created` is in seconds since 1970."""

    pid: int
    created: float

    @classmethod
    def of(cls, pid: int) -> "ProcessId":
        """Identify a running process. Raises psutil.NoSuchProcess."""
        return cls(pid, psutil.Process(pid).create_time())

    def find(self) -> psutil.Process | None:
        """Return the process while it runs; one that is dead but not reaped, or another with its pid, is None."""
        try:
            process = psutil.Process(self.pid)
            if abs(process.create_time() - self.created) > _SAME_START_S:
                return None
            return None if process.status() == psutil.STATUS_ZOMBIE else process
        except psutil.Error:
            return None


class ServerState(msgspec.Struct, frozen=True, kw_only=True):
    """What the supervisor says of its server. `reason` is why it failed or stopped; a port of 0 isn't chosen yet.

    `note` is what had to be mended for it to start.
    """

    phase: Phase
    supervisor: ProcessId
    jvm: ProcessId | None = None
    bolt_port: int = 0
    http_port: int = 0
    started_at: float = 0.0
    reason: str = ""
    note: str = ""

    @property
    def is_serving(self) -> bool:
        """True while it is ready and both of its processes live."""
        return bool(self.phase is Phase.READY and self.supervisor.find() and self.jvm and self.jvm.find())


class LaunchOrder(msgspec.Struct, frozen=True, kw_only=True):
    """All that a supervisor must know to run a server; holds no secret. Sizes are as Neo4j writes them (`512m`).

    `least_free_bytes` is what has to be free on the disk for writes, and a quarter of it for a start.
    """

    class_path: tuple[str, ...]
    plugins: str
    aot_cache: str
    train_aot: bool
    heap: str
    page_cache: str
    idle_timeout_s: float
    start_timeout_s: float
    stop_timeout_s: float
    least_free_bytes: int = 0


class Marker(msgspec.Struct, frozen=True):
    """Makes a folder a tenant's; written last. `data` is the folder with the databases, which a load exchanges.

    Markers of before tenants had names to show lack the rest; `created_at` is in seconds since 1970.
    """

    tenant: str
    data: str
    display_name: str = ""
    created_at: float = 0.0


@dataclass(frozen=True, slots=True)
class TenantFolder:
    """The paths of a tenant. `root` is absolute."""

    root: Path

    @property
    def marker(self) -> Path:
        """Present when the tenant is whole."""
        return self.root / "tenant.json"

    @property
    def doomed(self) -> Path:
        """Present from the moment that the tenant is to be deleted."""
        return self.root / "deleting"

    @property
    def password(self) -> Path:
        """The password of the one user; only its owner can read it."""
        return self.root / "password"

    @property
    def state(self) -> Path:
        """What the supervisor says of the server."""
        return self.root / "state.json"

    @property
    def order(self) -> Path:
        """What the supervisor was told at the last start."""
        return self.root / "launch.json"

    @property
    def ports(self) -> Path:
        """The ports of the last start."""
        return self.root / "ports.json"

    @property
    def touched(self) -> Path:
        """Its time is that of the last use."""
        return self.root / "touched"

    @property
    def conf(self) -> Path:
        """The server's settings and the JVM's options."""
        return self.root / "conf"

    @property
    def plugins(self) -> Path:
        """A link to the plugins of the installation."""
        return self.root / "plugins"

    @property
    def logs(self) -> Path:
        """All logs."""
        return self.root / "logs"

    @property
    def console(self) -> Path:
        """What the server printed since its last start."""
        return self.logs / "console.log"

    @property
    def debug_log(self) -> Path:
        """What the server says of its databases, as JSON lines; it rotates the file itself."""
        return self.logs / "debug.log"

    @property
    def supervisor_log(self) -> Path:
        """What the supervisor printed since its last start."""
        return self.logs / "supervisor.log"

    @property
    def scratch(self) -> Path:
        """Emptied before each start."""
        return self.root / "tmp"

    def operation_lock(self) -> FileLock:
        """Whoever makes, starts, stops, dumps, loads or deletes the tenant holds it meanwhile.

        It lies beside the folder and stays: a lock that went with the folder would let two in.
        """
        place = self.root.parent / ".locks"
        place.mkdir(mode=0o700, parents=True, exist_ok=True)
        return FileLock(place / f"{self.root.name}.lock", mode=0o600)

    def supervisor_lock(self) -> FileLock:
        """Held by the supervisor as long as it lives, so by at most one."""
        return FileLock(self.root / "supervisor.lock", mode=0o600)

    def make(self) -> None:
        """Make the folder, closed to everyone else, unless it is there."""
        self.root.mkdir(mode=0o700, parents=True, exist_ok=True)
        self.root.chmod(0o700)
        for folder in (self.conf, self.logs, self.scratch):
            folder.mkdir(mode=0o700, exist_ok=True)

    def touch(self) -> None:
        """Note that a client is here: the time counts against an idle stop. Nothing happens when the folder is gone."""
        with suppress(FileNotFoundError):
            self.touched.touch(mode=0o600)

    def idle_s(self) -> float:
        """Seconds since the last touch; 0 when there was none."""
        try:
            return max(0.0, time.time() - self.touched.stat().st_mtime)
        except FileNotFoundError:
            return 0.0

    def find_marker(self) -> Marker | None:
        """Return the tenant's marker, None when it was never made whole."""
        return _read(self.marker, Marker)

    def find_live_marker(self) -> Marker | None:
        """Return the marker of a tenant that is whole and is to stay."""
        return None if self.doomed.exists() else self.find_marker()

    def find_state(self) -> ServerState | None:
        """Return the last state on record, None when there is none that can be read."""
        return _read(self.state, ServerState)

    def find_order(self) -> LaunchOrder | None:
        """Return the order of the last start."""
        return _read(self.order, LaunchOrder)

    def data(self) -> Path:
        """Return the folder with the databases. The tenant must have its marker."""
        marker = self.find_marker()
        return self.root / (marker.data if marker else "data")


def write_private(file: Path, content: bytes) -> None:
    """Put a file in place as a whole, readable by its owner only, and on the disk before it has its name."""
    fresh = file.with_name(f".{file.name}.{os.getpid()}.new")
    fresh.unlink(missing_ok=True)
    with open(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as stream:  # noqa: PTH123 - a mode from the start
        stream.write(content)
        stream.flush()
        os.fsync(stream.fileno())
    fresh.replace(file)


def write_record(file: Path, record: msgspec.Struct) -> None:
    """Put a record in place as JSON, as a whole."""
    write_private(file, msgspec.json.encode(record))


def _read(file: Path, kind: type[_RecordT]) -> _RecordT | None:
    try:
        return msgspec.json.decode(file.read_bytes(), type=kind)
    except (FileNotFoundError, NotADirectoryError, msgspec.DecodeError):
        return None
