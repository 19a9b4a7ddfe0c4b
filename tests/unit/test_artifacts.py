"""Fetching what a lock names, from a repository of the test's own on loopback."""

import hashlib
import threading
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from graph.embedded import artifacts, maven
from graph.embedded.artifacts import Lock, Progress, fetch_installation, find_faults, get_installation, read_lock
from graph.errors import DownloadFailed

FILES = {
    "org/neo4j/app/neo4j-server/1.2.3/neo4j-server-1.2.3.jar": b"the server" * 5000,
    "io/netty/epoll/4.2.Final/epoll-4.2.Final-linux-x86_64.jar": b"native",
    "org/example/tool/1.0/tool-1.0.jar": b"tool",
}


class Repository(ThreadingHTTPServer):
    """A Maven repository that counts what it is asked for and can fail first."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.files = dict(FILES)
        self.asked: Counter[str] = Counter()
        self.failures: Counter[str] = Counter()

    @property
    def urls(self) -> dict[str, str]:
        return {"test": f"http://127.0.0.1:{self.server_port}"}


class Handler(BaseHTTPRequestHandler):
    server: Repository

    def do_GET(self) -> None:
        path = self.path.lstrip("/")
        content = self.server.files.get(path)
        if not path.endswith(".sha1"):
            self.server.asked[path] += 1
        if content is None:
            self.send_error(404)
        elif self.server.failures[path] > 0:
            self.server.failures[path] -= 1
            self.send_error(503)
        else:
            self.send_response(200)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def repository() -> Iterator[Repository]:
    with Repository() as served:
        thread = threading.Thread(target=served.serve_forever, args=(0.01,))
        thread.start()
        yield served
        served.shutdown()
        thread.join()


@pytest.fixture
def lock() -> Lock:
    rows = (
        f"{'plugins' if 'example' in path else 'lib'}\t{path}\t{hashlib.sha256(content).hexdigest()}\t{len(content)}"
        for path, content in FILES.items()
    )
    return read_lock("# a comment\n" + "\n".join(rows) + "\n")


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """No long pauses, and a user's own Maven repository that is empty."""
    monkeypatch.setattr(artifacts, "_FIRST_PAUSE_S", 0.001)
    monkeypatch.setenv("M2_REPO", str(tmp_path / "m2"))
    return tmp_path / "m2"


def test_the_lock_that_is_shipped():
    lock = read_lock()
    assert len(lock.artifacts) == 391
    assert lock.version == "2026.01.4"
    assert lock.size_bytes > 150_000_000
    assert len({(a.folder, a.file_name) for a in lock.artifacts}) == 391
    assert {a.folder for a in lock.artifacts} == {"lib", "plugins"}


def test_a_path_is_taken_apart_and_a_bad_one_refused():
    assert maven.Coordinate.of_path("io/netty/epoll/4.2.Final/epoll-4.2.Final-linux-x86_64.jar") == maven.Coordinate(
        "io.netty", "epoll", "4.2.Final", "linux-x86_64", "jar"
    )
    for path in ("a.jar", "org/a/1/b-2.jar", "org/a/1/a-1"):
        with pytest.raises(ValueError, match="not a path of a Maven artifact"):
            maven.Coordinate.of_path(path)


def test_everything_is_fetched_checked_and_counted(repository: Repository, lock: Lock, tmp_path: Path):
    seen: list[Progress] = []

    installation = fetch_installation(tmp_path, lock=lock, repositories=repository.urls, on_progress=seen.append)

    assert {installation.file(a).read_bytes() for a in lock.artifacts} == set(FILES.values())
    assert seen[-1] == Progress(3, 3, lock.size_bytes, lock.size_bytes, lock.size_bytes)
    assert [p.name for p in installation.class_path] == [
        "tool-1.0.jar",
        "epoll-4.2.Final-linux-x86_64.jar",
        "neo4j-server-1.2.3.jar",
    ]
    assert installation.root.name.startswith("neo4j-1.2.3-")
    assert sorted(p.name for p in installation.root.iterdir()) == ["complete", "lib", "plugins"]


def test_a_complete_one_is_not_asked_for_again(repository: Repository, lock: Lock, tmp_path: Path):
    fetch_installation(tmp_path, lock=lock, repositories=repository.urls)
    fetch_installation(tmp_path, lock=lock, repositories=repository.urls)
    fetch_installation(tmp_path, lock=lock, repositories=repository.urls, recheck=True)
    assert set(repository.asked.values()) == {1}


def test_what_is_damaged_or_missing_is_fetched_again_and_nothing_else(
    repository: Repository, lock: Lock, tmp_path: Path
):
    installation = fetch_installation(tmp_path, lock=lock, repositories=repository.urls)
    damaged, missing, whole = (installation.file(a) for a in lock.artifacts)
    damaged.write_bytes(bytes(damaged.stat().st_size))
    missing.unlink()
    (installation.aot).mkdir()
    assert find_faults(installation) == (f"{damaged} has the wrong content", f"{missing} is missing")

    seen: list[Progress] = []
    fetch_installation(tmp_path, lock=lock, repositories=repository.urls, recheck=True, on_progress=seen.append)

    assert find_faults(installation) == ()
    assert repository.asked == {path: 1 if path.endswith(whole.name) else 2 for path in FILES}
    assert seen[-1].bytes_fetched == lock.size_bytes - whole.stat().st_size
    assert not installation.aot.exists()


def test_a_fetch_that_was_broken_off_goes_on(repository: Repository, lock: Lock, tmp_path: Path):
    gone = repository.files.pop("org/example/tool/1.0/tool-1.0.jar")
    with pytest.raises(DownloadFailed, match=r"tool-1\.0\.jar.*no repository has it.*run the same command again"):
        fetch_installation(tmp_path, lock=lock, repositories=repository.urls)
    assert not get_installation(tmp_path, lock=lock).is_complete
    before = dict(repository.asked)

    repository.files["org/example/tool/1.0/tool-1.0.jar"] = gone
    installation = fetch_installation(tmp_path, lock=lock, repositories=repository.urls)

    assert installation.is_complete
    assert {path for path in FILES if repository.asked[path] > before.get(path, 0)} <= {
        "org/example/tool/1.0/tool-1.0.jar",
        # the pool may have been stopped before these were through
        *(path for path in FILES if before.get(path, 0) == 0),
    }


def test_a_passing_failure_is_tried_again(repository: Repository, lock: Lock, tmp_path: Path):
    repository.failures.update(dict.fromkeys(FILES, 2))
    assert fetch_installation(tmp_path, lock=lock, repositories=repository.urls).is_complete
    assert set(repository.asked.values()) == {3}


def test_a_file_that_is_not_the_locks_is_never_put_in_place(repository: Repository, lock: Lock, tmp_path: Path):
    path = "org/example/tool/1.0/tool-1.0.jar"
    repository.files[path] = b"tOOl"
    with pytest.raises(DownloadFailed, match="sha256"):
        fetch_installation(tmp_path, lock=lock, repositories=repository.urls)
    assert not (get_installation(tmp_path, lock=lock).plugins / "tool-1.0.jar").exists()


def test_no_network_is_said_so(lock: Lock, tmp_path: Path):
    with pytest.raises(DownloadFailed, match="did not answer"):
        fetch_installation(tmp_path, lock=lock, repositories={"none": "http://127.0.0.1:9"})


def test_the_users_own_maven_repository_is_used_when_its_files_are_right(
    repository: Repository, lock: Lock, tmp_path: Path, quick: Path
):
    right, wrong, _ = FILES
    for path, content in ((right, FILES[right]), (wrong, b"wrong!")):
        (quick / path).parent.mkdir(parents=True)
        (quick / path).write_bytes(content)

    installation = fetch_installation(tmp_path / "cache", lock=lock, repositories=repository.urls)

    assert find_faults(installation) == ()
    assert right not in repository.asked
    assert (quick / right).stat().st_ino == installation.file(lock.artifacts[0]).stat().st_ino


def test_two_at_once_fetch_each_file_once(repository: Repository, lock: Lock, tmp_path: Path):
    with ThreadPoolExecutor(4) as pool:
        jobs = [pool.submit(fetch_installation, tmp_path, lock=lock, repositories=repository.urls) for _ in range(4)]
        assert all(job.result().is_complete for job in jobs)
    assert repository.asked == dict.fromkeys(FILES, 1)
