"""Dumps of a tenant, in Neo4j's own format, and loads that replace all of a tenant's data or nothing.

Beside each dump lies a small file of JSON that says what is in it: a load compares the bytes before, and the graph's
hash after, on a server of its own, while the data of before are still in place.
"""

import asyncio
import hashlib
import shutil
import tempfile
import time
from importlib.metadata import version
from pathlib import Path

import msgspec

from graph.backends.base import Endpoint
from graph.database import connect
from graph.embedded import client, server
from graph.embedded.client import OnEvent, silent
from graph.embedded.folder import LaunchOrder, ServerState, TenantFolder, write_record
from graph.errors import Conflict, InvalidInput, ServerFailed
from graph.fingerprint import get_graph_hash
from graph.stats import get_stats

_DUMP = f"{server.DATABASE}.dump"
_STAGING = "loading"
_POLL_S = 0.05
_LEAVING_S = 10.0
"""How long the server may take to notice that we have left it ourselves."""
_UNCLEAN = "Active logical log"  # how the dump command names a store that needs recovery


class Contents(msgspec.Struct, frozen=True, kw_only=True):
    """What a dump holds: the graph's `hash`, and the `sha256` and `bytes` of the file itself."""

    hash: str
    documents: int
    nodes: int
    edges: int
    mentions: int
    sha256: str
    bytes: int
    neo4j: str
    cogniverse: str


def dump(folder: TenantFolder, order: LaunchOrder, file: Path, *, on_event: OnEvent = silent) -> int:
    """Write a tenant's database to `file`, and what is in it to `file`.json; return the size in bytes.

    The server is started to read the graph's hash, and stopped when nobody is connected to it; nobody can start it
    meanwhile. An older file is replaced when the new one is whole. Raises Conflict when the server is in use,
    InvalidInput for a file that can't be written, ServerFailed.
    """
    if not file.parent.is_dir():
        raise InvalidInput(f"can't write {file}: there is no folder {file.parent}.")
    with client.exclusive(folder, timeout_s=order.stop_timeout_s):
        client.check_live(folder)
        _check_unused(folder, "dumped")
        state = client.ensure_running_held(folder, order, on_event=on_event)
        on_event("reading the graph's hash")
        contents = _read_contents(folder, state)
        on_event(f"the graph's hash is {contents.hash}")
        _stop_unused(folder, order, "dumped", within_s=_LEAVING_S)
        with tempfile.TemporaryDirectory(prefix=".dump-", dir=file.parent) as place:
            on_event("dumping")
            try:
                _dump_held(folder, order, Path(place))
            except ServerFailed as exc:
                if _UNCLEAN not in str(exc):
                    raise
                on_event("the server had not ended cleanly: recovering first")
                client.ensure_running_held(folder, order)
                client.stop_held(folder, timeout_s=order.stop_timeout_s)
                _dump_held(folder, order, Path(place))
            fresh = Path(place) / _DUMP
            contents = msgspec.structs.replace(contents, sha256=_sha256(fresh), bytes=fresh.stat().st_size)
            # A crash in between leaves a dump without its companion: not verified, but never taken for another.
            _companion(file).unlink(missing_ok=True)
            fresh.chmod(0o600)  # it holds the whole graph, as an export does
            fresh.replace(file)
            write_record(_companion(file), contents)
    return contents.bytes


def check_dump(file: Path) -> Contents | None:
    """What a dump holds, None where nothing beside it says so.

    Raises InvalidInput for a file that is not there or is not what was dumped.
    """
    if not file.is_file():
        raise InvalidInput(f"can't load {file}: there is no such file.")
    companion = _companion(file)
    if not companion.is_file():
        return None
    try:
        contents = msgspec.json.decode(companion.read_bytes(), type=Contents)
    except msgspec.MsgspecError as exc:
        raise InvalidInput(f"{companion} does not say what is in {file.name} ({exc}): restore it.") from exc
    size = file.stat().st_size
    if size != contents.bytes:
        raise InvalidInput(f"{file} is not what was dumped: it has {size:,} of {contents.bytes:,} bytes.")
    if _sha256(file) != contents.sha256:
        raise InvalidInput(f"{file} is not what was dumped: its sha256 differs from the one in {companion}.")
    return contents


def load(
    folder: TenantFolder,
    order: LaunchOrder,
    file: Path,
    contents: Contents | None,
    *,
    overwrite: bool,
    on_event: OnEvent = silent,
) -> None:
    """Replace a tenant's data with a dump's. The old data stays in place until the new is whole, then goes.

    With the `contents` that `check_dump` told, the new data's graph must have that hash. Raises Conflict when the
    tenant has data and `overwrite` is False or when its server is in use, InvalidInput for a file that is no whole
    dump, ServerFailed.
    """
    with client.exclusive(folder, timeout_s=order.stop_timeout_s):
        marker = folder.find_live_marker()
        if marker is None:
            raise Conflict(f"{folder.root.name} is not a tenant any more: make it again, then load.")
        old = folder.data()
        if not overwrite and (old / "databases" / server.DATABASE).exists():
            raise Conflict(f"tenant {marker.tenant} has data: load with overwrite to replace it, or dump it first.")
        _stop_unused(folder, order, "loaded")
        _sweep(folder, order)
        on_event("loading")
        staging = TenantFolder(folder.root / _STAGING)
        staging.make()
        try:
            _stage(staging, folder, order, file)
            if contents is None:
                on_event(f"there is no {_companion(file).name}: what was loaded is not verified")
            else:
                on_event("reading the graph's hash")
                _verify(staging, order, file, contents)
                on_event(f"the graph's hash is {contents.hash}, as when it was dumped")
            new = Path(tempfile.mkdtemp(prefix="data-", dir=folder.root))
            staging.data().replace(new)
            write_record(folder.marker, msgspec.structs.replace(marker, data=new.name))
        finally:
            _sweep(folder, order)


def _sweep(folder: TenantFolder, order: LaunchOrder) -> None:
    """Remove what is not the tenant's: data that were replaced, and what a load that was broken off left behind."""
    staging = TenantFolder(folder.root / _STAGING)
    if staging.root.is_dir():
        client.stop_held(staging, timeout_s=order.stop_timeout_s)
        shutil.rmtree(staging.root, ignore_errors=True)
    current = folder.data()
    for place in folder.root.glob("data*"):
        if place != current:
            shutil.rmtree(place, ignore_errors=True)


def _check_unused(folder: TenantFolder, verb: str, *, within_s: float = 0.0) -> None:
    """Raise Conflict when others are connected and don't leave in time."""
    deadline = time.monotonic() + within_s
    while clients := client.get_status(folder).clients:
        if time.monotonic() >= deadline:
            raise Conflict(
                f"the server can't be {verb} while {clients} connections to it are open: close them, or stop it first."
            )
        time.sleep(_POLL_S)


def _stop_unused(folder: TenantFolder, order: LaunchOrder, verb: str, *, within_s: float = 0.0) -> None:
    _check_unused(folder, verb, within_s=within_s)
    client.stop_held(folder, timeout_s=order.stop_timeout_s)


def _read_contents(folder: TenantFolder, state: ServerState) -> Contents:
    endpoint = Endpoint(
        uri=f"bolt://{server.LOOPBACK}:{state.bolt_port}",
        user=server.USER,
        password=folder.password.read_text("ascii"),
        database=server.DATABASE,
    )

    async def read() -> Contents:
        async with connect(endpoint) as database:
            stats = await get_stats(database)
            neo4j, _ = await database.identify()
            return Contents(
                hash=await get_graph_hash(database),
                documents=stats.documents,
                nodes=stats.nodes,
                edges=stats.edges,
                mentions=stats.mentions,
                sha256="",
                bytes=0,
                neo4j=neo4j,
                cogniverse=version("cogniverse-graph"),
            )

    return asyncio.run(read())  # the blocking work of servers has a thread of its own


def _verify(staging: TenantFolder, order: LaunchOrder, file: Path, contents: Contents) -> None:
    try:
        state = client.ensure_running_held(staging, order)
        found = _read_contents(staging, state).hash
    except ServerFailed as exc:
        raise InvalidInput(f"{file} holds a database that does not start; nothing was changed. {exc}") from exc
    finally:
        client.stop_held(staging, timeout_s=order.stop_timeout_s)
    if found != contents.hash:
        raise InvalidInput(
            f"The graph in {file} has the hash {found}, and {contents.hash} when it was dumped; nothing was changed."
        )


def _dump_held(folder: TenantFolder, order: LaunchOrder, place: Path) -> None:
    target = f"--to-path={place}"
    arguments = ("database", "dump", server.DATABASE, target, "--overwrite-destination=true")
    server.run_admin(order, home=folder.root, conf=folder.conf, arguments=arguments)


def _stage(staging: TenantFolder, folder: TenantFolder, order: LaunchOrder, file: Path) -> None:
    """Make a server's folder that has the dump's database and is the tenant's in everything else."""
    shutil.copy2(folder.password, staging.password)
    data = staging.data()
    data.mkdir(mode=0o700)
    _copy_but_database(folder.data(), data)
    server.write_conf(order, staging, bolt_port=0, http_port=0)
    # The tool wants a folder with a file named after the database.
    (staging.scratch / _DUMP).symlink_to(file.absolute())
    source = f"--from-path={staging.scratch}"
    arguments = ("database", "load", server.DATABASE, source, "--overwrite-destination=true")
    try:
        server.run_admin(order, home=staging.root, conf=staging.conf, arguments=arguments)
    except ServerFailed as exc:
        raise InvalidInput(f"{file} can't be loaded; nothing was changed. {exc}") from exc
    if not (data / "databases" / server.DATABASE).is_dir():
        raise InvalidInput(f"{file} holds no database; nothing was changed.")


def _copy_but_database(old: Path, new: Path) -> None:
    """Copy what makes the server this tenant's: its password and the names of its databases."""
    for folder in ("databases", "transactions"):
        (new / folder).mkdir()
        if (old / folder / "system").is_dir():
            shutil.copytree(old / folder / "system", new / folder / "system")
    for rest in old.iterdir():
        if rest.name not in ("databases", "transactions"):
            (shutil.copytree if rest.is_dir() else shutil.copy2)(rest, new / rest.name)


def _companion(file: Path) -> Path:
    return file.with_name(f"{file.name}.json")


def _sha256(file: Path) -> str:
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
