"""The embedded back end on real servers: whatever is killed, a working tenant and all committed data are left.

A server takes seconds to start, so the tests share one tenant and leave it running for each other.
"""

import asyncio
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import replace
from pathlib import Path

import msgspec
import psutil
import pytest
import pytest_asyncio
from neo4j.exceptions import AuthError

from api.config import load_settings
from graph.backends.base import Endpoint
from graph.backends.embedded import EmbeddedBackend, EmbeddedSettings
from graph.embedded import client, server
from graph.embedded.folder import Phase, ProcessId, ServerState, TenantFolder, write_record
from graph.embedded.supervisor import Ports, Supervisor
from graph.errors import Conflict, InvalidInput, ServerFailed, UnknownTenant
from graph.tenants import TenantId, directory_name
from tests.raw import Cypher

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform == "win32", reason="the embedded server runs on POSIX systems"),
]

ACME = TenantId("prod", "acme")
COPY = TenantId("copy")
FRESH = TenantId("fresh")
OPEN_ELSEWHERE = """
import asyncio, sys
from pathlib import Path
from graph.backends.embedded import EmbeddedBackend, EmbeddedSettings
from graph.tenants import parse_tenant
settings = EmbeddedSettings(Path(sys.argv[1]), Path(sys.argv[2]), heap="512m", page_cache="64m", train_aot=False)
print(asyncio.run(EmbeddedBackend(settings).open(parse_tenant(sys.argv[3]), create=True)).uri)
"""


@pytest.fixture(scope="module")
def settings(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EmbeddedSettings]:
    data_dir = tmp_path_factory.mktemp("embedded")
    yield EmbeddedSettings(
        data_dir, load_settings().cache_dir, heap="512m", page_cache="64m", start_timeout_s=180, train_aot=False
    )
    for folder in map(TenantFolder, (data_dir / "tenants").glob("t-*")):
        client.stop(folder, timeout_s=30)
    assert processes_of(data_dir) == []


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def backend(settings: EmbeddedSettings) -> AsyncIterator[EmbeddedBackend]:
    backend = EmbeddedBackend(settings)
    await backend.open(ACME, create=True)
    yield backend


@pytest.fixture(scope="module")
def folder(settings: EmbeddedSettings) -> TenantFolder:
    return folder_of(settings, ACME)


def folder_of(settings: EmbeddedSettings, tenant: TenantId) -> TenantFolder:
    return TenantFolder(settings.data_dir / "tenants" / directory_name(tenant))


def processes_of(place: Path) -> list[list[str]]:
    """The command lines of supervisors and servers that work anywhere below a folder."""
    lines: list[list[str]] = []
    for process in psutil.process_iter(["cmdline", "status"]):
        line = process.info["cmdline"] or []
        if process.info["status"] != psutil.STATUS_ZOMBIE and any(str(place) in word for word in line):
            lines.append(line)
    return lines


def serving(folder: TenantFolder) -> tuple[psutil.Process, psutil.Process]:
    """The supervisor and the JVM, both alive."""
    state = folder.find_state()
    assert state is not None
    assert state.jvm is not None
    supervisor, jvm = state.supervisor.find(), state.jvm.find()
    assert supervisor is not None
    assert jvm is not None
    return supervisor, jvm


async def until(holds: Callable[[], bool], *, timeout_s: float = 20) -> None:
    deadline = time.monotonic() + timeout_s
    while not holds():
        assert time.monotonic() < deadline, "waited in vain"
        await asyncio.sleep(0.05)


async def commit(endpoint: Endpoint, fact: str) -> None:
    async with Cypher(endpoint) as cypher:
        await cypher("MERGE (:Committed {fact: $fact})", fact=fact)


async def committed(endpoint: Endpoint) -> set[str]:
    async with Cypher(endpoint) as cypher:
        return {row["fact"] for row in await cypher("MATCH (n:Committed) RETURN n.fact AS fact")}


async def test_callers_at_once_in_two_processes_make_and_share_one_server(settings: EmbeddedSettings):
    arguments = (str(settings.data_dir), str(settings.cache_dir), str(ACME))
    other = await asyncio.create_subprocess_exec(
        sys.executable, "-c", OPEN_ELSEWHERE, *arguments, stdout=subprocess.PIPE
    )
    mine = await asyncio.gather(*(EmbeddedBackend(settings).open(ACME, create=True) for _ in range(3)))
    stdout, _ = await other.communicate()

    assert {endpoint.uri for endpoint in mine} == {stdout.decode().strip()}
    assert len(processes_of(settings.data_dir)) == 2  # a supervisor and a JVM
    assert await EmbeddedBackend(settings).list_tenants() == [ACME]
    await commit(mine[0], "shared")
    assert await committed(mine[1]) == {"shared"}


async def test_only_loopback_is_listened_on(backend: EmbeddedBackend, folder: TenantFolder):
    _, jvm = serving(folder)
    listening = {c.laddr for c in jvm.net_connections("inet") if c.status == psutil.CONN_LISTEN}
    status = await backend.status(ACME)
    # A JVM on a dual-stack socket shows IPv4's loopback as mapped into IPv6.
    assert {address.ip.removeprefix("::ffff:") for address in listening} == {"127.0.0.1"}
    assert {address.port for address in listening} == {status.bolt_port, status.http_port}


async def test_the_password_is_random_and_for_its_owner_alone(backend: EmbeddedBackend, folder: TenantFolder):
    endpoint = await backend.open(ACME, create=False)
    assert backend.password_file(ACME).stat().st_mode & 0o777 == 0o600
    assert folder.root.stat().st_mode & 0o777 == 0o700
    assert len(endpoint.password) == 48
    assert endpoint.password not in repr(endpoint)
    for file in (path for place in (folder.logs, folder.conf) for path in place.iterdir()):
        assert endpoint.password not in file.read_text("utf-8", errors="replace")
    assert not any(endpoint.password in word for line in processes_of(folder.root) for word in line)
    with pytest.raises(AuthError):
        await committed(replace(endpoint, password="neo4j"))


async def test_status_and_browser(backend: EmbeddedBackend):
    status = await backend.status(ACME)
    assert status.phase is Phase.READY
    assert status.data_bytes > 100_000
    assert (status.resident_bytes or 0) > 100_000_000
    assert 0 < (status.uptime_s or 0) < 600
    assert await backend.browser_url(ACME) == f"http://127.0.0.1:{status.http_port}/browser/"


async def test_an_unknown_tenant_is_not_made_by_asking(backend: EmbeddedBackend, settings: EmbeddedSettings):
    nobody = TenantId("nobody")
    for asked in (backend.open(nobody, create=False), backend.status(nobody), backend.stop(nobody)):
        with pytest.raises(UnknownTenant, match="nobody"):
            await asked
    assert not folder_of(settings, nobody).root.exists()


async def test_killed_supervisor(backend: EmbeddedBackend, folder: TenantFolder):
    await commit(await backend.open(ACME, create=False), "before the supervisor's end")
    supervisor, jvm = serving(folder)

    os.kill(supervisor.pid, signal.SIGKILL)
    endpoint = await backend.open(ACME, create=False)

    assert await committed(endpoint) == {"shared", "before the supervisor's end"}
    assert not jvm.is_running()
    assert len(processes_of(folder.root)) == 2


async def test_killed_jvm(backend: EmbeddedBackend, folder: TenantFolder):
    await commit(await backend.open(ACME, create=False), "before the server's end")
    supervisor, jvm = serving(folder)

    os.kill(jvm.pid, signal.SIGKILL)
    await until(lambda: not supervisor.is_running())
    died = await backend.status(ACME)
    endpoint = await backend.open(ACME, create=False)

    assert died.phase is Phase.FAILED
    assert "signal 9" in died.reason
    assert "before the server's end" in await committed(endpoint)
    assert len(processes_of(folder.root)) == 2


async def test_stop_and_start_with_all_that_may_have_changed_between(
    backend: EmbeddedBackend, folder: TenantFolder, tmp_path: Path
):
    """A stale record that names a stranger and an orphan, a port in other hands, an AOT cache that is none."""
    before = await backend.status(ACME)
    assert before.bolt_port
    assert await backend.stop(ACME)
    assert not await backend.stop(ACME)
    assert processes_of(folder.root) == []
    # It says itself that it was asked to end: its exit code goes to whichever wait of this process reaps it first.
    asked = tmp_path / "asked to end"
    trap = "trap 'touch \"$0\"; exit 0' TERM; echo ready; while :; do sleep 0.1; done"
    orphan = await asyncio.create_subprocess_exec("sh", "-c", trap, str(asked), stdout=asyncio.subprocess.PIPE)
    assert orphan.stdout
    assert await orphan.stdout.readline() == b"ready\n"
    me = ProcessId.of(os.getpid())
    stale = ServerState(
        phase=Phase.READY,
        supervisor=ProcessId(me.pid, me.created - 3600),
        jvm=ProcessId.of(orphan.pid),
        bolt_port=before.bolt_port,
    )
    write_record(folder.state, stale)
    garbage = tmp_path / "cache.aot"
    garbage.write_bytes(b"no cache" * 1000)
    order = folder.find_order()
    assert order is not None

    with socket.create_server(("127.0.0.1", before.bolt_port)):
        said: list[str] = []
        await asyncio.to_thread(
            client.ensure_running,
            folder,
            msgspec.structs.replace(order, aot_cache=str(garbage)),
            on_event=said.append,
        )
        after = await backend.status(ACME)
        endpoint = await backend.open(ACME, create=False)

    await orphan.wait()
    assert asked.exists()
    assert said[0] == "starting Neo4j"
    assert after.bolt_port != before.bolt_port
    assert after.http_port == before.http_port
    assert await committed(endpoint) >= {"shared", "before the server's end"}


def bad_copies(dump: Path) -> list[Path]:
    """Cut off, without and with what says so; a flipped byte; another graph than is said; one that isn't there."""
    data, companion = dump.read_bytes(), dump.with_name(f"{dump.name}.json").read_bytes()
    flipped = data[:-1000] + bytes([data[-1000] ^ 1]) + data[-999:]
    other = json.dumps(json.loads(companion) | {"hash": "1" * 64}).encode()
    copies = {"broken": (data[:-2000], b""), "short": (data[:-2000], companion), "flipped": (flipped, companion)}
    for word, (content, said) in (copies | {"other": (data, other)}).items():
        file = dump.with_name(f"{word}.dump")
        file.write_bytes(content)
        if said:
            file.with_name(f"{file.name}.json").write_bytes(said)
    return [dump.with_name(f"{word}.dump") for word in (*copies, "other", "missing")]


async def test_dump_and_load(backend: EmbeddedBackend, tmp_path: Path):
    """A server in use isn't dumped, an unused one is stopped for it; a load replaces everything or nothing."""
    endpoint = await backend.open(ACME, create=False)
    file = tmp_path / "acme.dump"
    async with Cypher(endpoint) as cypher:
        await cypher("RETURN 1 AS one")
        with pytest.raises(Conflict, match="1 connections"):
            await backend.dump(ACME, file)
    facts = await committed(endpoint)

    assert await backend.dump(ACME, file) > 1000
    assert (await backend.status(ACME)).phase is Phase.STOPPED

    await backend.load(COPY, file)
    folder = TenantFolder(backend.password_file(COPY).parent)
    data = folder.data()
    with pytest.raises(Conflict, match="overwrite"):
        await backend.load(COPY, file)
    copies = bad_copies(file)
    for bad in copies:
        with pytest.raises(InvalidInput, match=bad.name):
            await backend.load(COPY, bad, overwrite=True)
    with pytest.raises(InvalidInput, match=copies[0].name):
        await backend.load(FRESH, copies[0])
    assert FRESH not in await backend.list_tenants()
    assert folder.data() == data
    assert not (folder.root / "loading").exists()
    file.with_name(f"{file.name}.json").unlink()
    await backend.load(COPY, file, overwrite=True)
    assert folder.data() != data
    assert [place.name for place in folder.root.glob("data*")] == [folder.data().name]

    endpoint = await backend.open(COPY, create=False)
    assert await committed(endpoint) == facts
    await backend.stop(COPY)


async def test_idle_stop_and_a_port_lost_at_the_last_moment(
    backend: EmbeddedBackend, folder: TenantFolder, monkeypatch: pytest.MonkeyPatch
):
    """Runs the supervisor's own code in this process, to have a hand in its choice of ports."""
    await backend.stop(ACME)
    order = folder.find_order()
    assert order is not None
    taken = socket.create_server(("127.0.0.1", 0))
    choices = [taken.getsockname()[1]]
    choose = server.choose_port
    monkeypatch.setattr(server, "choose_port", lambda last: choices.pop() if choices else choose(last))
    write_record(folder.ports, Ports())
    quick = msgspec.structs.replace(order, idle_timeout_s=1.0)

    with taken, folder.supervisor_lock():
        supervisor = Supervisor(folder, quick, told_to_stop=threading.Event())
        life = asyncio.create_task(asyncio.to_thread(supervisor.run))
        await until(lambda: (state := folder.find_state()) is not None and state.is_serving, timeout_s=120)
        endpoint = await backend.open(ACME, create=False)
        async with Cypher(endpoint) as cypher:
            await cypher("RETURN 1 AS one")
            await asyncio.sleep(2.5)
            assert not life.done(), "a connected client counts as use"
        await asyncio.wait_for(life, timeout=30)

    status = await backend.status(ACME)
    assert (status.phase, status.reason) == (Phase.STOPPED, "idle for 1 s")
    assert processes_of(folder.root) == []


async def test_a_server_that_cannot_start_says_why(settings: EmbeddedSettings):
    with pytest.raises(ServerFailed, match=r"(?s)exit code 1.*[Tt]oo small"):
        await EmbeddedBackend(replace(settings, heap="1m")).open(ACME, create=False)
    await until(lambda: processes_of(settings.data_dir) == [])


async def test_a_server_whose_folder_is_removed_ends(backend: EmbeddedBackend, folder: TenantFolder):
    """The last test: the tenant that all share goes."""
    await backend.open(ACME, create=False)
    shutil.rmtree(folder.root, ignore_errors=True)
    await until(lambda: processes_of(folder.root) == [], timeout_s=60)
