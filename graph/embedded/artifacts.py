"""The Neo4j server's files: what the lock file names, fetched once, each proven by its size and sha256."""

import hashlib
import shutil
import tempfile
import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from importlib import resources
from pathlib import Path, PurePosixPath

from filelock import FileLock

from graph.embedded import maven
from graph.errors import DownloadFailed

_THREADS = 12
_ATTEMPTS = 4
_FIRST_PAUSE_S = 0.5
_PROGRESS_EVERY_S = 0.1
_SERVER = "org/neo4j/app/neo4j-server/"
_GDS = "org/neo4j/gds/algo/"


@dataclass(frozen=True, slots=True)
class Artifact:
    """A file of the server: `folder` is lib or plugins, `path` is where a Maven repository keeps it."""

    folder: str
    path: str
    sha256: str
    size_bytes: int

    @property
    def file_name(self) -> str:
        """Its name in the folder; no two artifacts of a folder share one."""
        return PurePosixPath(self.path).name


@dataclass(frozen=True)
class Lock:
    """The artifacts that make up the server; `sha256` is that of the lock file itself."""

    artifacts: tuple[Artifact, ...]
    sha256: str

    @cached_property
    def version(self) -> str:
        """The version of Neo4j, or `unknown` when the lock names no server."""
        return self._find_version(_SERVER) or "unknown"

    @cached_property
    def gds_version(self) -> str | None:
        """The version of Graph Data Science, None when the lock names none."""
        return self._find_version(_GDS)

    @cached_property
    def size_bytes(self) -> int:
        """The size of all artifacts together."""
        return sum(artifact.size_bytes for artifact in self.artifacts)

    def _find_version(self, package: str) -> str | None:
        """The version of the package whose Maven path begins so."""
        paths = (artifact.path for artifact in self.artifacts if artifact.path.startswith(package))
        return next((path.removeprefix(package).partition("/")[0] for path in paths), None)


def read_lock(text: str | None = None) -> Lock:
    """Parse a lock file's text, by default the one that comes with this package. Raises ValueError when malformed."""
    if text is None:
        text = resources.files("graph.embedded").joinpath("artifacts.lock").read_text("utf-8")
    rows = [line.split("\t") for line in text.splitlines() if line and not line.startswith("#")]
    artifacts = tuple(Artifact(folder, path, sha256, int(size)) for folder, path, sha256, size in rows)
    for artifact in artifacts:
        maven.Coordinate.of_path(artifact.path)
    return Lock(artifacts, hashlib.sha256(text.encode()).hexdigest())


@dataclass(frozen=True, slots=True)
class Installation:
    """A folder that holds all files of a lock."""

    root: Path
    lock: Lock

    @property
    def plugins(self) -> Path:
        """Where the server looks for procedures."""
        return self.root / "plugins"

    @property
    def class_path(self) -> tuple[Path, ...]:
        """Every jar in a fixed order, plugins first: an AOT cache is only good for the class path it was made with."""
        ordered = sorted(self.lock.artifacts, key=lambda a: (a.folder != "plugins", a.file_name))
        return tuple(self.file(artifact) for artifact in ordered)

    @property
    def stamp(self) -> Path:
        """The file that is written when all others are there."""
        return self.root / "complete"

    @property
    def aot(self) -> Path:
        """Room for JVM caches made from these very files."""
        return self.root / "aot"

    @property
    def is_complete(self) -> bool:
        """True when a fetch went through to the end; costs one read. `find_faults` looks at the files themselves."""
        with suppress(OSError):
            return self.stamp.read_text("ascii") == self.lock.sha256
        return False

    def file(self, artifact: Artifact) -> Path:
        """Where an artifact stands."""
        return self.root / artifact.folder / artifact.file_name


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a fetch is. `bytes_fetched` came over the network in this run; the rest of `bytes_done` was there."""

    files_done: int
    files_total: int
    bytes_done: int
    bytes_total: int
    bytes_fetched: int


def get_installation(cache_dir: Path, *, lock: Lock | None = None) -> Installation:
    """Return where the server stands or would stand below `cache_dir`; `is_complete` tells which."""
    lock = lock or read_lock()
    return Installation(cache_dir / f"neo4j-{lock.version}-{lock.sha256[:12]}", lock)


def find_faults(installation: Installation) -> tuple[str, ...]:
    """Check every file against the lock and name those that are missing or wrong. Reads all files: about a second."""
    wrong = (a for a in installation.lock.artifacts if not _matches(installation.file(a), a))
    files = (installation.file(artifact) for artifact in wrong)
    return tuple(f"{file} {'has the wrong content' if file.exists() else 'is missing'}" for file in files)


def fetch_installation(
    cache_dir: Path,
    *,
    lock: Lock | None = None,
    recheck: bool = False,
    repositories: Mapping[str, str] | None = None,
    on_progress: Callable[[Progress], None] | None = None,
) -> Installation:
    """Return a complete installation below `cache_dir`, fetching what is missing or damaged.

    At once when the stamp is there, unless `recheck` asks for every file to be read again. Files that are right are
    kept, so a fetch that was broken off goes on where it stood. A second process waits for the first. `on_progress`
    is called from several threads, never two at a time. Raises DownloadFailed.
    """
    installation = get_installation(cache_dir, lock=lock)
    if installation.is_complete and not recheck:
        return installation
    cache_dir.mkdir(parents=True, exist_ok=True)
    with FileLock(cache_dir / f"{installation.root.name}.lock"):
        if recheck or not installation.is_complete:
            _Fetch(installation, repositories, on_progress).run()
    return installation


class _Fetch:
    """One fetch, under the installation's lock."""

    def __init__(
        self,
        installation: Installation,
        repositories: Mapping[str, str] | None,
        on_progress: Callable[[Progress], None] | None,
    ) -> None:
        self._installation = installation
        self._repositories = repositories
        self._scratch = installation.root / "incoming"
        self._tally = _Tally(installation.lock, on_progress)
        self._given_up = threading.Event()

    def run(self) -> None:
        root = self._installation.root
        self._installation.stamp.unlink(missing_ok=True)
        shutil.rmtree(self._scratch, ignore_errors=True)
        for folder in ("lib", "plugins"):
            (root / folder).mkdir(parents=True, exist_ok=True)
        self._scratch.mkdir(parents=True)
        artifacts = sorted(self._installation.lock.artifacts, key=lambda a: -a.size_bytes)
        pool = ThreadPoolExecutor(_THREADS, thread_name_prefix="fetch")
        try:
            for _ in pool.map(self._bring, artifacts):
                pass
        finally:
            self._given_up.set()
            pool.shutdown(cancel_futures=True)
            shutil.rmtree(self._scratch, ignore_errors=True)
        if self._tally.has_fetched:
            shutil.rmtree(self._installation.aot, ignore_errors=True)  # a cache is bound to the files it saw
        self._tally.report()
        _write_atomically(self._installation.stamp, self._installation.lock.sha256)

    def _bring(self, artifact: Artifact) -> None:
        target = self._installation.file(artifact)
        if _matches(target, artifact) or self._bring_local(artifact, target):
            self._tally.keep(artifact)
            return
        for attempt in range(1, _ATTEMPTS + 1):
            try:
                self._bring_remote(artifact, target)
            except DownloadFailed as exc:
                self._tally.forget(artifact)
                if attempt == _ATTEMPTS or self._given_up.wait(_FIRST_PAUSE_S * 2 ** (attempt - 1)):
                    raise DownloadFailed(_failure(artifact, exc)) from exc
            else:
                self._tally.finish(artifact)
                return

    def _bring_local(self, artifact: Artifact, target: Path) -> bool:
        found = maven.local_file(artifact.path)
        if found is None or not _matches(found, artifact):
            return False
        linked = self._scratch / f"{artifact.folder}-{artifact.file_name}"
        try:
            linked.hardlink_to(found)
        except OSError:
            shutil.copyfile(found, linked)
        linked.replace(target)
        return True

    def _bring_remote(self, artifact: Artifact, target: Path) -> None:
        # A folder of its own for each attempt: jgo takes any file that is there for a whole one.
        folder = Path(tempfile.mkdtemp(dir=self._scratch))
        try:
            file = maven.download(
                artifact.path,
                into=folder,
                repositories=self._repositories,
                on_bytes=lambda count: self._tally.add(artifact, count),
            )
            if not _matches(file, artifact):
                raise DownloadFailed(
                    f"the file that came has {file.stat().st_size} bytes or a sha256 other than the lock's"
                )
            file.replace(target)
        finally:
            shutil.rmtree(folder, ignore_errors=True)


class _Tally:
    """Counts what came, over all threads."""

    def __init__(self, lock: Lock, on_progress: Callable[[Progress], None] | None) -> None:
        self._lock = lock
        self._on_progress = on_progress
        self._mutex = threading.Lock()
        self._under_way: dict[str, int] = {}
        self._files = 0
        self._kept_bytes = 0
        self._fetched_bytes = 0
        self._reported_at = 0.0

    @property
    def has_fetched(self) -> bool:
        return self._fetched_bytes > 0

    def add(self, artifact: Artifact, count: int) -> None:
        with self._mutex:
            self._under_way[artifact.path] = self._under_way.get(artifact.path, 0) + count
            self._report_now_and_then()

    def forget(self, artifact: Artifact) -> None:
        with self._mutex:
            self._under_way.pop(artifact.path, None)

    def keep(self, artifact: Artifact) -> None:
        with self._mutex:
            self._files += 1
            self._kept_bytes += artifact.size_bytes
            self._report_now_and_then()

    def finish(self, artifact: Artifact) -> None:
        with self._mutex:
            self._under_way.pop(artifact.path, None)
            self._files += 1
            self._fetched_bytes += artifact.size_bytes
            self._report_now_and_then()

    def report(self) -> None:
        with self._mutex:
            self._report()

    def _report_now_and_then(self) -> None:
        if time.monotonic() - self._reported_at >= _PROGRESS_EVERY_S:
            self._report()

    def _report(self) -> None:
        self._reported_at = time.monotonic()
        if self._on_progress is None:
            return
        fetched = self._fetched_bytes + sum(self._under_way.values())
        total = len(self._lock.artifacts)
        self._on_progress(Progress(self._files, total, self._kept_bytes + fetched, self._lock.size_bytes, fetched))


def _matches(file: Path, artifact: Artifact) -> bool:
    try:
        if file.stat().st_size != artifact.size_bytes:
            return False
        with file.open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest() == artifact.sha256
    except OSError:
        return False


def _failure(artifact: Artifact, cause: DownloadFailed) -> str:
    return (
        f"{artifact.path} of the Neo4j server could not be fetched: {cause}. "
        "Check the network (a proxy goes into HTTPS_PROXY) and run the same command again: what is here is kept."
    )


def _write_atomically(file: Path, text: str) -> None:
    fresh = file.with_name(f"{file.name}.new")
    fresh.write_text(text, "ascii")
    fresh.replace(file)
