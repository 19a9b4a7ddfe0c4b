"""Disks that fill up, and folders that can't be written to: a clear error, and whatever was acknowledged is kept."""

import asyncio
import os
import random
import subprocess
import sys
from collections.abc import AsyncIterator, Generator, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

import psutil
import pytest
import pytest_asyncio

from api.config import load_settings
from extraction.pipeline import IndexOptions, index_folder
from graph.backends.base import Endpoint
from graph.backends.embedded import EmbeddedBackend, EmbeddedSettings
from graph.database import connect
from graph.fingerprint import get_graph_hash
from graph.tenants import parse_tenant
from tests.crashes import PROJECT, Ingest, documents_of, environment, half_written, write_corpus
from tests.raw import Cypher

TENANT = parse_tenant("crashes")
DISK_MB = 160
FLOOR_MB = 40
SEED = 6
FILLED_TIMES = 3
MODULES, TEXTS = 60, 10
CLEAR_ENDS = ("error: Neo4j could not write", "error: Neo4j does not answer", "error: The database is not available")


def run_mount(*arguments: str) -> None:
    subprocess.run(["mount", *arguments], check=True, capture_output=True, text=True)


@contextmanager
def mounted(place: Path, *arguments: str) -> Generator[Path]:
    place.mkdir()
    try:
        run_mount(*arguments, str(place))
    except (subprocess.CalledProcessError, FileNotFoundError) as exc:
        if os.environ.get("CI"):
            raise
        pytest.skip(f"mounting isn't permitted here: {exc}")
    try:
        yield place
    finally:
        subprocess.run(["umount", "--lazy", str(place)], check=True, capture_output=True)


pytestmark = [
    pytest.mark.slow,
    pytest.mark.timeout(1800),
    pytest.mark.skipif(sys.platform != "linux", reason="small disks are made with Linux's tmpfs"),
]


@pytest.fixture(scope="module")
def disk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    place = tmp_path_factory.mktemp("full") / "disk"
    with mounted(place, "-t", "tmpfs", "-o", f"size={DISK_MB}m", "tmpfs"):
        yield place


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One folder for all tests: another one with the same documents would be refused."""
    return tmp_path_factory.mktemp("texts") / "corpus"


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def backend(disk: Path) -> AsyncIterator[EmbeddedBackend]:
    backend = EmbeddedBackend(settings_of(disk))
    await backend.open(TENANT, create=True)
    yield backend
    await backend.stop(TENANT)


def settings_of(disk: Path) -> EmbeddedSettings:
    return EmbeddedSettings(
        disk / "data",
        load_settings().cache_dir,
        heap="512m",
        page_cache="64m",
        start_timeout_s=300,
        train_aot=False,
    )


def env_of(disk: Path, *, floor_mb: int) -> dict[str, str]:
    return environment(disk / "data", COGNIVERSE_START_TIMEOUT_S="300", COGNIVERSE_MIN_FREE_MB=str(floor_mb))


async def run_cli(env: Mapping[str, str], *arguments: str) -> tuple[int, str]:
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        *("-m", "api.cli.app", *arguments),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
        cwd=PROJECT,
        env=dict(env),
    )
    said, _ = await process.communicate()
    assert process.returncode is not None
    return process.returncode, " ".join(said.decode().split())


def fill(disk: Path, *, leave_bytes: int = 0) -> None:
    """Take up the disk with a file, to the last byte when nothing is to be left."""
    with (disk / "filler").open("ab", buffering=0) as filler:
        size = 1 << 20
        while size:
            room = os.statvfs(disk)
            size = min(size, room.f_bavail * room.f_frsize - leave_bytes) if leave_bytes else size
            try:
                if size > 0:
                    filler.write(bytes(size))
                else:
                    return
            except OSError:
                size //= 2


def make_room(disk: Path) -> None:
    (disk / "filler").unlink(missing_ok=True)


async def assert_like_a_clean_build(endpoint: Endpoint, root: Path) -> None:
    options = IndexOptions("auto", workers=1)
    async with connect(endpoint) as database, Cypher(endpoint) as cypher:
        await index_folder(database, root, options=options)
        resumed = await get_graph_hash(database)
        await cypher.clear()
        await index_folder(database, root, options=options)
        assert await get_graph_hash(database) == resumed


async def test_a_nearly_full_disk_takes_no_writes_and_still_answers(
    backend: EmbeddedBackend, disk: Path, corpus: Path
) -> None:
    env = env_of(disk, floor_mb=FLOOR_MB)
    write_corpus(corpus, 0, modules=MODULES, texts=TEXTS)
    assert (await run_cli(env, "index", str(corpus)))[0] == 0
    write_corpus(corpus, 1, modules=MODULES, texts=TEXTS)

    fill(disk, leave_bytes=FLOOR_MB * 1_000_000 * 3 // 4)
    code, said = await run_cli(env, "index", str(corpus))
    assert code == 1
    assert "error: The disk is nearly full" in said
    assert "COGNIVERSE_MIN_FREE_MB" in said
    assert "Traceback" not in said
    code, said = await run_cli(env, "graph", "stats")
    assert code == 0
    assert "functions" in said or "function" in said

    make_room(disk)
    code, said = await run_cli(env, "index", str(corpus))
    assert code == 0, said
    async with Cypher(await backend.open(TENANT, create=False)) as cypher:
        assert len(await documents_of(cypher, 1)) == MODULES


async def test_a_server_is_not_started_without_room_to_recover(backend: EmbeddedBackend, disk: Path) -> None:
    env = env_of(disk, floor_mb=FLOOR_MB)
    await backend.stop(TENANT)
    fill(disk)
    code, said = await run_cli(env, "graph", "stats")
    assert code == 1
    assert "error: The disk is nearly full: 0 MB are free" in said
    assert "Traceback" not in said
    make_room(disk)
    assert (await run_cli(env, "graph", "stats"))[0] == 0


async def test_a_disk_that_others_fill_in_the_middle_of_a_write_costs_nothing_acknowledged(
    backend: EmbeddedBackend, disk: Path, corpus: Path
) -> None:
    dice = random.Random(SEED)  # noqa: S311 - moments, no secrets
    failures = 0
    for generation in range(10, 10 + FILLED_TIMES):
        write_corpus(corpus, generation, modules=MODULES, texts=TEXTS)
        ingest = await Ingest.start(corpus, env_of(disk, floor_mb=0))
        await ingest.read(dice.randrange(1, MODULES))
        await asyncio.to_thread(fill, disk)
        code, said = await ingest.end()
        if code:
            failures += 1
            assert code == 1
            assert said.startswith(CLEAR_ENDS), said
            assert "Traceback" not in said
        make_room(disk)
        async with Cypher(await open_again(backend)) as cypher:
            assert ingest.acknowledged <= await documents_of(cypher, generation), f"seed {SEED}, {generation}"
            assert await half_written(cypher) == []
    assert failures
    await assert_like_a_clean_build(await backend.open(TENANT, create=False), corpus)


async def test_a_transaction_log_that_ends_in_the_middle_of_a_write_is_mended_and_said_so(
    backend: EmbeddedBackend, disk: Path
) -> None:
    async with Cypher(await backend.open(TENANT, create=False)) as cypher:
        await cypher("MERGE (:Committed {fact: 'before'})")
    status = await backend.status(TENANT)
    assert status.jvm_pid is not None
    psutil.Process(status.jvm_pid).kill()
    tear(disk)

    events: list[str] = []
    endpoint = await EmbeddedBackend(settings_of(disk), on_event=events.append).open(TENANT, create=False)

    assert any("ended in the middle of a write" in event for event in events)
    async with Cypher(endpoint) as cypher:
        assert await cypher("MATCH (n:Committed) RETURN n.fact AS fact") == [{"fact": "before"}]
        await cypher("MATCH (n:Committed) DELETE n")


def tear(disk: Path) -> None:
    """Let the newest file of the transaction log go on with what is no transaction."""
    logs = disk.glob("data/tenants/t-crashes/data/transactions/neo4j/neostore.transaction.db.*")
    newest = max(logs, key=lambda file: int(file.suffix.removeprefix(".")))
    with newest.open("ab") as log:
        log.write(random.Random(SEED).randbytes(4096))  # noqa: S311 - no secrets


async def open_again(backend: EmbeddedBackend) -> Endpoint:
    """Open the tenant once its supervisor has seen whether its server gave up."""
    while True:
        endpoint = await backend.open(TENANT, create=False)
        with suppress(Exception):
            async with Cypher(endpoint) as cypher:
                await cypher("MATCH (n) RETURN count(n)")
                return endpoint
        await asyncio.sleep(1)


async def test_a_read_only_data_folder_is_named_and_left_as_it_is(backend: EmbeddedBackend, disk: Path) -> None:
    env = env_of(disk, floor_mb=FLOOR_MB)
    await backend.stop(TENANT)
    run_mount("-o", "remount,ro", str(disk))
    try:
        code, said = await run_cli(env, "graph", "stats")
        assert code == 1
        assert "error: A folder that is needed can't be used: Read-only file system" in said
        assert "Traceback" not in said
    finally:
        run_mount("-o", "remount,rw", str(disk))
    assert (await run_cli(env, "graph", "stats"))[0] == 0


async def test_a_read_only_cache_folder_is_done_without(backend: EmbeddedBackend, disk: Path, tmp_path: Path) -> None:
    await backend.open(TENANT, create=False)
    write_corpus(tmp_path / "corpus", 20, modules=5, texts=1)
    with mounted(tmp_path / "cache", "--bind", str(load_settings().cache_dir)) as cache:
        run_mount("-o", "remount,bind,ro", str(cache))
        env = env_of(disk, floor_mb=FLOOR_MB) | {"COGNIVERSE_CACHE_DIR": str(cache)}
        code, said = await run_cli(env, "index", str(tmp_path / "corpus"), "--prefix", "few")
        assert code == 0, said
