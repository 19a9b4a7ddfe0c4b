"""The life of tenants: made once, opened once, kept while needed, and gone without a trace.

A server takes seconds to start, so the tests share a folder and leave servers running for each other.
"""

import asyncio
import os
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import psutil
import pytest

from api.config import Settings, load_settings
from api.opening import make_backend
from api.tenancy import TenantPool
from graph.database import Database, deadline
from graph.embedded import client
from graph.embedded.folder import TenantFolder
from graph.errors import Conflict, DatabaseFailed, InvalidInput, NotAvailable, TimedOut, UnknownTenant
from graph.statements import Header, Statement
from graph.tenants import TenantId, directory_name
from tests.raw import Cypher

pytestmark = pytest.mark.slow
ACME = TenantId("prod", "acme")
CREATE = """
import asyncio, sys
from api.config import load_settings
from api.opening import make_backend
from graph.errors import Conflict
from graph.tenants import parse_tenant
try:
    asyncio.run(make_backend(load_settings(), on_event=print).create(parse_tenant(sys.argv[1]), "elsewhere"))
    print("made")
except Conflict:
    print("there")
"""


@dataclass(frozen=True)
class Count:
    n: int


def statement(text: str) -> Statement[Count]:
    return Statement("tests/made_up", text, Header("made up", (), ("n",), "read", ()), Count)


NODES = statement("MATCH (n) WHERE NOT n:Migration AND NOT n:MigrationLock RETURN count(n) AS n")
MIGRATIONS = statement("MATCH (n:Migration) RETURN count(n) AS n")
SLOW = statement("UNWIND range(1, 100000) AS a UNWIND range(1, 100000) AS b WITH a, b WHERE a * b = 0 RETURN a AS n")


@pytest.fixture(scope="module")
def settings(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Settings]:
    data_dir = tmp_path_factory.mktemp("tenancy")
    yield load_settings().model_copy(
        update={
            "data_dir": data_dir,
            "heap": "512m",
            "page_cache": "64m",
            "train_aot": False,
            "idle_timeout_s": 600.0,
        }
    )
    for folder in map(TenantFolder, (data_dir / "tenants").glob("t-*")):
        client.stop(folder, timeout_s=30)
    assert processes_of(data_dir) == []


@asynccontextmanager
async def opened(settings: Settings, **changes: object) -> AsyncIterator[TenantPool]:
    changed = settings.model_copy(update=changes)
    pool = TenantPool(changed, make_backend(changed, on_event=lambda _: None))
    try:
        yield pool
    finally:
        await pool.close()


@pytest.fixture
async def pool(settings: Settings) -> AsyncIterator[TenantPool]:
    async with opened(settings) as found:
        yield found


def folder_of(settings: Settings, tenant: TenantId) -> TenantFolder:
    return TenantFolder(settings.data_dir / "tenants" / directory_name(tenant))


def processes_of(place: Path) -> list[int]:
    found: list[int] = []
    for process in psutil.process_iter(["cmdline", "status", "pid"]):
        line = process.info["cmdline"] or []
        if process.info["status"] != psutil.STATUS_ZOMBIE and any(str(place) in word for word in line):
            found.append(process.info["pid"])
    return found


async def until(holds: Callable[[], bool], *, timeout_s: float = 20) -> None:
    give_up = time.monotonic() + timeout_s
    while not holds():
        assert time.monotonic() < give_up, "waited in vain"
        await asyncio.sleep(0.05)


async def count(database: Database, what: Statement[Count] = NODES) -> int:
    return (await database.fetch(what))[0].n


async def add_node(database: Database) -> None:
    async with Cypher(database.endpoint) as cypher:
        await cypher("CREATE (:Folder {folder_id: randomUUID()})")


async def test_a_tenant_is_made_shown_and_listed_without_a_server(pool: TenantPool, settings: Settings) -> None:
    tenant = TenantId("new")
    assert await pool.find(tenant) is None

    made = await pool.create(tenant, "Näme to show")

    assert (made.tenant_id, made.display_name, made.state) == ("new", "Näme to show", "READY")
    assert abs(made.created_at.timestamp() - time.time()) < 60
    assert await pool.find(tenant) == made
    assert made in await pool.list_tenants()
    assert processes_of(settings.data_dir) == []
    with pytest.raises(Conflict, match="already"):
        await pool.create(tenant, "Another")
    assert await pool.find(tenant) == made
    await pool.delete(tenant)
    assert await pool.find(tenant) is None
    assert not folder_of(settings, tenant).root.exists()


@pytest.mark.parametrize("name", ["x" * 201, "two\nlines", "\u202eflipped"])
async def test_a_display_name_must_be_fit_to_show(pool: TenantPool, settings: Settings, name: str) -> None:
    with pytest.raises(InvalidInput, match="display name"):
        await pool.create(TenantId("named"), name)
    assert not folder_of(settings, TenantId("named")).root.exists()


async def test_of_racing_creations_one_makes_the_tenant(pool: TenantPool, settings: Settings) -> None:
    tenant = TenantId("raced")
    env = os.environ | {"COGNIVERSE_DATA_DIR": str(settings.data_dir), "COGNIVERSE_CACHE_DIR": str(settings.cache_dir)}
    other = await asyncio.create_subprocess_exec(
        sys.executable, "-c", CREATE, str(tenant), stdout=subprocess.PIPE, env=env
    )

    ended = await asyncio.gather(*(pool.create(tenant, str(n)) for n in range(3)), return_exceptions=True)
    stdout, _ = await other.communicate()

    refused = [end for end in ended if isinstance(end, Conflict)]
    assert len(refused) + (stdout == b"there\n") == 3
    assert [view.tenant_id for view in await pool.list_tenants()].count("raced") == 1


async def test_a_tenant_of_before_names_were_kept(pool: TenantPool, settings: Settings) -> None:
    folder = folder_of(settings, TenantId("old"))
    folder.make()
    folder.password.write_text("x")
    os.utime(folder.password, (1_700_000_000, 1_700_000_000))
    folder.marker.write_text('{"tenant":"old","data":"data"}')

    view = await pool.find(TenantId("old"))

    assert view is not None
    assert (view.display_name, view.created_at.timestamp()) == ("old", 1_700_000_000)
    await pool.delete(TenantId("old"))


async def test_asking_for_a_tenant_makes_none(pool: TenantPool, settings: Settings) -> None:
    nobody = TenantId("nobody")
    for asked in (pool.get(nobody), pool.delete(nobody), pool.get(nobody)):
        with pytest.raises(UnknownTenant, match="nobody"):
            await asked
    assert await pool.find(nobody) is None
    assert not folder_of(settings, nobody).root.exists()


async def test_a_tenant_is_opened_once_for_all_even_when_the_first_gives_up(pool: TenantPool) -> None:
    with pytest.raises((NotAvailable, TimedOut), match=r"being started|too long"):
        async with deadline(0.3):
            await pool.get(ACME, create=True)

    found = await asyncio.gather(*(pool.get(ACME) for _ in range(5)))

    assert len({id(database) for database in found}) == 1
    assert await count(found[0], MIGRATIONS) > 0
    await add_node(found[0])
    assert await pool.get(ACME) is found[0]


async def test_who_may_make_a_tenant_is_not_stopped_by_who_may_not(pool: TenantPool, settings: Settings) -> None:
    tenant = TenantId("both")
    reader, writer = await asyncio.gather(pool.get(tenant), pool.get(tenant, create=True), return_exceptions=True)

    assert isinstance(reader, UnknownTenant)
    assert isinstance(writer, Database)
    assert await pool.get(tenant) is writer
    await pool.delete(tenant)
    assert processes_of(folder_of(settings, tenant).root) == []


async def test_a_killed_server_is_started_again_with_its_data(pool: TenantPool, settings: Settings) -> None:
    database = await pool.get(ACME)
    nodes = await count(database)
    state = folder_of(settings, ACME).find_state()
    assert state is not None
    assert state.jvm is not None

    os.kill(state.jvm.pid, signal.SIGKILL)
    await until(lambda: processes_of(folder_of(settings, ACME).root) == [])
    await asyncio.sleep(0.6)
    again = await asyncio.gather(pool.get(ACME), pool.get(ACME))

    assert again[0] is again[1] is not database
    assert await count(again[0]) == nodes > 0


async def test_an_unused_connection_is_closed_and_a_used_one_is_not(settings: Settings) -> None:
    async with opened(settings, connection_idle_s=0.4) as pool:
        database = await pool.get(ACME)
        with pytest.raises(TimedOut):
            await database.fetch(SLOW, timeout_s=1.5)  # longer than a connection lies idle, but it does not
        assert await pool.get(ACME) is database

        await asyncio.sleep(1.0)
        status = client.get_status(folder_of(settings, ACME))
        assert status.clients == 0
        with pytest.raises(NotAvailable, match="closed"):
            await count(database)
        assert await count(await pool.get(ACME)) > 0


async def test_a_deleted_tenant_is_gone_at_once_and_comes_back_empty(pool: TenantPool, settings: Settings) -> None:
    folder = folder_of(settings, ACME)
    belongings = [place / folder.root.name for place in (settings.data_dir / "pending-jobs",)]
    for place in belongings:
        place.mkdir(parents=True)
        (place / "job").touch()
    database = await pool.get(ACME)
    assert await count(database) > 0
    working = asyncio.ensure_future(database.fetch(SLOW))
    await asyncio.sleep(0.3)

    deleting = asyncio.ensure_future(pool.delete(ACME))
    await until(folder.doomed.exists)
    refused = await asyncio.gather(
        pool.get(ACME), pool.get(ACME, create=True), pool.delete(ACME), return_exceptions=True
    )
    seen = await pool.find(ACME)
    deleted = await deleting

    assert {type(end) for end in refused} == {UnknownTenant}
    assert seen is None or seen.state == "DELETING"
    assert (deleted.tenant_id, deleted.state) == ("acme:prod", "DELETING")
    with pytest.raises((NotAvailable, DatabaseFailed)):
        await working
    assert not folder.root.exists()
    assert not any(place.exists() for place in belongings)
    assert processes_of(folder.root) == []
    assert [path.name for path in (settings.data_dir / "tenants" / ".trash").glob("*")] == []
    assert await pool.find(ACME) is None
    with pytest.raises(UnknownTenant):
        await pool.get(ACME)

    again = await pool.get(ACME, create=True)
    assert await count(again) == 0
    assert again.endpoint.password != database.endpoint.password


async def test_a_broken_off_deletion_takes_no_work_and_is_finished(pool: TenantPool, settings: Settings) -> None:
    """The process died just after it had marked the tenant: its server still runs."""
    folder = folder_of(settings, ACME)
    await pool.get(ACME, create=True)
    folder.doomed.touch()
    trash = settings.data_dir / "tenants" / ".trash" / "of another"
    (trash / "data").mkdir(parents=True)

    async with opened(settings) as other:
        seen = await other.find(ACME)
        assert seen is not None
        assert seen.state == "DELETING"
        assert processes_of(folder.root) != []

        with pytest.raises(UnknownTenant):
            await other.delete(ACME)
        with pytest.raises(UnknownTenant):
            await other.get(TenantId("nobody"))  # whoever is asked for, what was begun is finished

    assert not folder.root.exists()
    assert not trash.exists()
    assert processes_of(folder.root) == []


async def test_creating_anew_finishes_a_broken_off_deletion(pool: TenantPool, settings: Settings) -> None:
    tenant = TenantId("again")
    await pool.create(tenant, "first")
    folder_of(settings, tenant).doomed.touch()

    made = await pool.create(tenant, "second")

    assert (made.display_name, made.state) == ("second", "READY")
    await pool.delete(tenant)


async def test_opening_and_deleting_at_once_end_well(settings: Settings) -> None:
    """Whoever wins: no server is left without its tenant, and no tenant without a server that starts."""
    tenant = TenantId("contended")
    async with opened(settings) as one, opened(settings) as two:
        for delay_s in (0.0, 1.0):
            await one.create(tenant, "contended")
            opening = asyncio.ensure_future(two.get(tenant, create=True))
            await asyncio.sleep(delay_s)
            await one.delete(tenant)
            with suppress(UnknownTenant, NotAvailable):
                await opening
            if await one.find(tenant) is None:
                assert processes_of(folder_of(settings, tenant).root) == []
            else:
                assert await count(await two.get(tenant)) == 0
                await one.delete(tenant)
        assert not folder_of(settings, tenant).root.exists()


async def test_a_load_keeps_the_display_name(pool: TenantPool, settings: Settings, tmp_path: Path) -> None:
    source, target = TenantId("dumped"), TenantId("loaded")
    await pool.get(source, create=True)
    await pool.close()
    backend = make_backend(settings, on_event=lambda _: None)
    await backend.dump(source, tmp_path / "dump")
    await pool.create(target, "Loaded")

    await backend.load(target, tmp_path / "dump", overwrite=True)

    view = await pool.find(target)
    assert view is not None
    assert view.display_name == "Loaded"
