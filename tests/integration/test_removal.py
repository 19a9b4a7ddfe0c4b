"""A deletion of a tenant, killed at every step: nothing of it is seen any more, and the next start finishes it.

A step is a change to a file or a process. The deleting process kills itself before one of them, found by an audit hook.
"""

import asyncio
import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from api.config import load_settings
from api.services import make_services
from graph.backends.embedded import EmbeddedBackend, EmbeddedSettings
from graph.embedded import client
from graph.embedded.folder import TenantFolder
from graph.errors import Conflict, NotAvailable, UnknownTenant
from graph.tenants import TenantId, directory_name
from tests.raw import Cypher

pytestmark = pytest.mark.slow
TENANT = TenantId("prod", "acme")
OTHER = TenantId("other")
PLACES = ("exports", "pending-jobs", "facts")
STEPS = 100
DELETE = """
import asyncio, os, shutil, signal, sys
from pathlib import Path
from graph.backends.embedded import EmbeddedBackend, EmbeddedSettings
from graph.tenants import parse_tenant

CHANGES = {"os.rename", "os.remove", "os.rmdir", "os.mkdir", "os.kill", "shutil.rmtree"}
seen, dying = [], False

def die_before(point):
    def hook(event, args):
        global dying
        writes = event == "open" and isinstance(args[2], int) and args[2] & (os.O_WRONLY | os.O_RDWR | os.O_CREAT)
        if dying or not (event in CHANGES or writes):
            return
        if point in (event, str(len(seen)), f"after {seen[-1] if seen else None}"):
            dying = True
            os.kill(os.getpid(), signal.SIGKILL)
        seen.append(event)
    sys.addaudithook(hook)

def delete(data, cache, tenant, point):
    places = tuple(data / place for place in ("exports", "pending-jobs", "facts"))
    backend = EmbeddedBackend(EmbeddedSettings(data, cache, belongings=places))
    die_before(point)
    asyncio.run(backend.delete(parse_tenant(tenant)))

data, cache, tenant, point = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3], sys.argv[4]
if point != "each":
    delete(data, cache, tenant, point)
    sys.exit()
for step in range(int(sys.argv[5])):
    place = data.with_name(f"step-{step}")
    shutil.copytree(data, place)
    pid = os.fork()
    if not pid:
        delete(place, cache, tenant, str(step))
        os._exit(0)
    ended = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    print(step, ended, flush=True)
    if ended != -signal.SIGKILL:
        break
"""


def settings_of(data_dir: Path) -> EmbeddedSettings:
    return EmbeddedSettings(
        data_dir,
        load_settings().cache_dir,
        heap="512m",
        page_cache="64m",
        start_timeout_s=180,
        train_aot=False,
        belongings=tuple(data_dir / place for place in PLACES),
    )


def folder_of(data_dir: Path, tenant: TenantId = TENANT) -> TenantFolder:
    return TenantFolder(data_dir / "tenants" / directory_name(tenant))


def add_belongings(data_dir: Path, tenant: TenantId) -> None:
    for place in PLACES:
        file = data_dir / place / directory_name(tenant) / "deep" / "file"
        file.parent.mkdir(parents=True)
        file.write_text("secret")


def left_of(data_dir: Path, tenant: TenantId) -> list[Path]:
    """All that is on disk of a tenant, and what nobody owns; a lock's file stays."""
    own = [path for path in data_dir.rglob("*") if directory_name(tenant) in path.parts]
    return own + list(data_dir.glob("tenants/.trash/*"))


def processes_of(place: Path) -> list[int]:
    found: list[int] = []
    for process in psutil.process_iter(["cmdline", "status", "pid"]):
        line = process.info["cmdline"] or []
        if process.info["status"] != psutil.STATUS_ZOMBIE and any(str(place) in word for word in line):
            found.append(process.info["pid"])
    return found


def delete_until(data_dir: Path, point: str, *more: str) -> "subprocess.CompletedProcess[str]":
    arguments = (str(data_dir), str(load_settings().cache_dir), str(TENANT), point, *more)
    return subprocess.run([sys.executable, "-B", "-c", DELETE, *arguments], capture_output=True, text=True, check=False)


def make_stopped(data_dir: Path, tenant: TenantId) -> None:
    """A tenant whose server never ran, without starting one."""
    folder = folder_of(data_dir, tenant)
    folder.make()
    (folder.root / "data" / "databases").mkdir(parents=True)
    (folder.root / "data" / "databases" / "store").write_text("secret")
    folder.password.write_text("secret")
    folder.marker.write_text(f'{{"tenant":"{tenant}","data":"data"}}')
    add_belongings(data_dir, tenant)


async def test_a_deletion_killed_at_any_step_is_finished_at_the_next_start(tmp_path: Path) -> None:
    data_dir = tmp_path / "data"
    for tenant in (TENANT, OTHER):
        make_stopped(data_dir, tenant)
    others = sorted(path.relative_to(data_dir) for path in left_of(data_dir, OTHER))

    ran = delete_until(data_dir, "each", str(STEPS))

    ended = [tuple(map(int, line.split())) for line in ran.stdout.splitlines()]
    assert ran.stderr == ""
    assert [code for _, code in ended] == [-signal.SIGKILL] * (len(ended) - 1) + [0]
    assert len(ended) > 15
    marked = 0
    for step, _ in ended:
        place = tmp_path / f"step-{step}"
        backend = EmbeddedBackend(settings_of(place))
        seen = await backend.describe(TENANT)
        if seen is not None and seen.state == "READY":
            assert marked == 0
            assert (folder_of(place).data() / "databases" / "store").exists()
            assert {path.relative_to(place) for path in left_of(place, TENANT)} >= {
                Path(one) / directory_name(TENANT) / "deep" / "file" for one in PLACES
            }
            await backend.delete(TENANT)
        else:
            marked += 1
            if step % 2:  # any use of any tenant is a start
                with pytest.raises(UnknownTenant):
                    await backend.open(TenantId("nobody"), create=False)
        assert await backend.list_tenants() == [OTHER]
        assert await backend.describe(TENANT) is None
        assert left_of(place, TENANT) == []
        with pytest.raises(UnknownTenant):
            await backend.open(TENANT, create=False)
        with pytest.raises(UnknownTenant):
            await backend.delete(TENANT)
        assert sorted(path.relative_to(place) for path in left_of(place, OTHER)) == others
    assert marked > 12


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A data folder for tenants whose servers run."""
    data_dir = tmp_path_factory.mktemp("removal")
    yield data_dir
    for folder in map(TenantFolder, (data_dir / "tenants").glob("t-*")):
        client.stop(folder, timeout_s=30)
    assert processes_of(data_dir) == []


@pytest.mark.parametrize("point", ["os.kill", "after os.kill", "os.rename"])
async def test_a_running_tenant_whose_deletion_is_killed_goes_and_comes_back_empty(running: Path, point: str) -> None:
    backend = EmbeddedBackend(settings_of(running))
    endpoint = await backend.open(TENANT, create=True)
    async with Cypher(endpoint) as cypher:
        assert await cypher("MATCH (n:Secret) RETURN n") == []
        await cypher("CREATE (:Secret)")
    add_belongings(running, TENANT)

    assert delete_until(running, point).returncode == -signal.SIGKILL

    assert folder_of(running).doomed.exists()
    seen = await backend.describe(TENANT)
    assert seen is not None
    assert seen.state == "DELETING"
    assert await EmbeddedBackend(settings_of(running)).list_tenants() == []
    assert left_of(running, TENANT) == []
    assert processes_of(folder_of(running).root) == []


async def test_an_index_in_another_process_ends_with_the_reason_and_brings_nothing_back(
    running: Path, tmp_path: Path
) -> None:
    for number in range(1_000):
        (tmp_path / f"{number}.md").write_text(f"# Number {number}\n\nThere is nothing to say of it.\n")
    backend = EmbeddedBackend(settings_of(running))
    endpoint = await backend.open(TENANT, create=True)
    env = os.environ | {
        "COGNIVERSE_DATA_DIR": str(running),
        "COGNIVERSE_ENTITY_ENGINE": "off",
        "COGNIVERSE_EMBEDDING_ENGINE": "off",
    }
    command = ("-m", "api.cli.app", "index", str(tmp_path), "--type", "docs", "--tenant", str(TENANT), "--json")
    index = await asyncio.create_subprocess_exec(
        sys.executable, *command, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    async with Cypher(endpoint) as cypher:
        for _ in range(2_000):
            if await cypher("MATCH (d:Document) RETURN d LIMIT 1"):
                break
            await asyncio.sleep(0.05)

    await backend.delete(TENANT)
    stdout, stderr = await asyncio.wait_for(index.communicate(), 120)

    assert (index.returncode, stdout) == (3, b"")
    error = json.loads(stderr)["error"]
    assert error["code"] == "UnknownTenant"
    assert "deleted" in error["message"]
    assert await backend.list_tenants() == []
    assert left_of(running, TENANT) == []
    assert processes_of(folder_of(running).root) == []


async def test_of_racing_deletions_one_deletes(tmp_path: Path) -> None:
    make_stopped(tmp_path, TENANT)
    backend = EmbeddedBackend(settings_of(tmp_path))

    ended = await asyncio.gather(*(backend.delete(TENANT) for _ in range(4)), return_exceptions=True)

    assert [type(end) for end in ended].count(UnknownTenant) == 3
    assert await backend.list_tenants() == []
    assert left_of(tmp_path, TENANT) == []


async def test_deleting_and_making_at_once_leave_an_empty_tenant_or_none(tmp_path: Path) -> None:
    make_stopped(tmp_path, TENANT)
    backend = EmbeddedBackend(settings_of(tmp_path))

    deleted, *made = await asyncio.gather(
        backend.delete(TENANT), *(backend.create(TENANT, str(n)) for n in range(2)), return_exceptions=True
    )

    assert not isinstance(deleted, BaseException)
    assert {type(one) for one in made if isinstance(one, BaseException)} <= {Conflict, UnknownTenant}
    views = [one for one in made if not isinstance(one, BaseException)]
    assert len(views) <= 1
    assert await backend.describe(TENANT) == (views[0] if views else None)
    assert [path for path in left_of(tmp_path, TENANT) if path.name in {"store", "deep", "file"}] == []


async def test_what_can_t_be_removed_keeps_the_tenant_marked_and_no_other_from_work(tmp_path: Path) -> None:
    for tenant in (TENANT, OTHER):
        make_stopped(tmp_path, tenant)
    backend = EmbeddedBackend(settings_of(tmp_path))
    stuck = tmp_path / "facts" / directory_name(TENANT)
    shutil.rmtree(stuck)
    stuck.symlink_to(tmp_path)  # what is no folder is not followed

    with pytest.raises(NotAvailable, match="can't be used"):
        await backend.delete(TENANT)
    assert await backend.list_tenants() == [OTHER]
    seen = await backend.describe(TENANT)
    assert seen is not None
    assert seen.state == "DELETING"
    with pytest.raises(UnknownTenant):
        await backend.open(TENANT, create=False)

    stuck.unlink()
    assert await backend.list_tenants() == [OTHER]
    assert left_of(tmp_path, TENANT) == []


async def test_an_api_that_starts_finishes_what_was_begun(tmp_path: Path) -> None:
    for tenant in (TENANT, OTHER):
        make_stopped(tmp_path, tenant)
    folder_of(tmp_path).doomed.touch()
    settings = load_settings().model_copy(update={"data_dir": tmp_path, "cache_dir": tmp_path})
    services = make_services(settings)

    await services.start()
    await services.close()

    assert left_of(tmp_path, TENANT) == []
    assert folder_of(tmp_path, OTHER).marker.exists()
