"""Dumps of a tenant, in Neo4j's own format, and loads that replace all of a tenant's data or nothing."""

import hashlib
import shutil
import tempfile
from pathlib import Path

import msgspec

from graph.embedded import client, server
from graph.embedded.client import OnEvent, silent
from graph.embedded.folder import LaunchOrder, TenantFolder, write_record
from graph.errors import Conflict, InvalidInput, ServerFailed

_DUMP = f"{server.DATABASE}.dump"
_UNCLEAN = "Active logical log"  # how the dump command names a store that needs recovery


def dump(folder: TenantFolder, order: LaunchOrder, file: Path, *, on_event: OnEvent = silent) -> int:
    """Write a tenant's database to `file`, and its sha256 beside it; return the size in bytes.

    A running server is stopped when nobody is connected to it, and nobody can start it meanwhile. An older file is
    replaced when the new one is whole. Raises Conflict when the server is in use, InvalidInput for a file that can't
    be written, ServerFailed.
    """
    if not file.parent.is_dir():
        raise InvalidInput(f"can't write {file}: there is no folder {file.parent}.")
    with client.exclusive(folder, timeout_s=order.stop_timeout_s):
        client.check_live(folder)
        _stop_unused(folder, order, "dumped")
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
            digest = _sha256(fresh)
            fresh.replace(file)
            _sidecar(file).write_text(f"{digest}  {file.name}\n", "utf-8")
    return file.stat().st_size


def load(folder: TenantFolder, order: LaunchOrder, file: Path, *, overwrite: bool, on_event: OnEvent = silent) -> None:
    """Replace a tenant's data with a dump's. The old data stays in place until the new is whole, then goes.

    A sha256 file beside the dump is checked when there is one. Raises Conflict when the tenant has data and
    `overwrite` is False or when its server is in use, InvalidInput for a file that is no whole dump, ServerFailed.
    """
    _check_file(file)
    with client.exclusive(folder, timeout_s=order.stop_timeout_s):
        marker = folder.find_live_marker()
        if marker is None:
            raise Conflict(f"{folder.root.name} is not a tenant any more: make it again, then load.")
        old = folder.data()
        if not overwrite and (old / "databases" / server.DATABASE).exists():
            raise Conflict(f"tenant {marker.tenant} has data: load with overwrite to replace it, or dump it first.")
        _stop_unused(folder, order, "loaded")
        _sweep(folder)
        on_event("loading")
        new = Path(tempfile.mkdtemp(prefix="data-", dir=folder.root))
        try:
            _copy_but_database(old, new)
            _load_into(new, folder, order, file)
            write_record(folder.marker, msgspec.structs.replace(marker, data=new.name))
        except BaseException:
            shutil.rmtree(new, ignore_errors=True)
            raise
        shutil.rmtree(old, ignore_errors=True)


def _sweep(folder: TenantFolder) -> None:
    """Remove what a load that was broken off left behind."""
    current = folder.data()
    for place in folder.root.glob("data*"):
        if place != current:
            shutil.rmtree(place, ignore_errors=True)


def _stop_unused(folder: TenantFolder, order: LaunchOrder, verb: str) -> None:
    status = client.get_status(folder)
    if status.clients:
        raise Conflict(
            f"the server can't be {verb} while {status.clients} connections to it are open: "
            "close them, or stop it first."
        )
    client.stop_held(folder, timeout_s=order.stop_timeout_s)


def _dump_held(folder: TenantFolder, order: LaunchOrder, place: Path) -> None:
    target = f"--to-path={place}"
    arguments = ("database", "dump", server.DATABASE, target, "--overwrite-destination=true")
    server.run_admin(order, home=folder.root, conf=folder.conf, arguments=arguments)


def _load_into(data: Path, folder: TenantFolder, order: LaunchOrder, file: Path) -> None:
    with tempfile.TemporaryDirectory(prefix="load-", dir=folder.scratch) as place:
        conf = Path(place)
        text = server.conf_text(order, data=data.name, bolt_port=0, http_port=0)
        (conf / "neo4j.conf").write_text(text, "utf-8")
        # The tool wants a folder with a file named after the database.
        (conf / _DUMP).symlink_to(file.absolute())
        arguments = ("database", "load", server.DATABASE, f"--from-path={conf}", "--overwrite-destination=true")
        try:
            server.run_admin(order, home=folder.root, conf=conf, arguments=arguments)
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


def _check_file(file: Path) -> None:
    if not file.is_file():
        raise InvalidInput(f"can't load {file}: there is no such file.")
    sidecar = _sidecar(file)
    if sidecar.is_file() and sidecar.read_text("utf-8").split()[:1] != [_sha256(file)]:
        raise InvalidInput(f"{file} is not what was dumped: its sha256 differs from the one in {sidecar}.")


def _sidecar(file: Path) -> Path:
    return file.with_name(f"{file.name}.sha256")


def _sha256(file: Path) -> str:
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
