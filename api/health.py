"""Whether the process can do its work, found without starting a tenant's server."""

import asyncio
import logging
import os
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from api.config import Settings
from graph.backends.base import Backend
from graph.errors import CogniverseError

_log: Final = logging.getLogger(__name__)
_PING_S: Final = 2.0
_ENOUGH_BYTES: Final = 500_000_000


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was looked at. `detail` holds nothing that a stranger must not see."""

    name: str
    ok: bool
    detail: str | None = None


async def check_folders(settings: Settings) -> list[Check]:
    """Look at the folders that the service writes to."""
    return await asyncio.to_thread(_check_folders, settings)


async def check_server(backend: Backend) -> Check:
    """Look whether the server that others run answers, and lets us in, soon. Why not is logged, not shown."""
    try:
        async with asyncio.timeout(_PING_S):
            await backend.ping()
    except (CogniverseError, TimeoutError) as exc:
        _log.warning("the Neo4j server can't be used: %s", exc or f"no answer within {_PING_S:g} s")
        return Check("neo4j", ok=False, detail="can't be used: `cogniverse doctor` says why")
    return Check("neo4j", ok=True)


def _check_folders(settings: Settings) -> list[Check]:
    return [
        check
        for name, folder in (("data", settings.data_dir), ("cache", settings.cache_dir))
        for check in _check(name, folder)
    ]


def _check(name: str, folder: Path) -> list[Check]:
    existing = next((one for one in (folder, *folder.parents) if one.is_dir()), Path("/"))
    writable = os.access(existing, os.W_OK | os.X_OK)
    free = shutil.disk_usage(existing).free
    return [
        Check(f"{name} folder", writable, None if writable else "not writable"),
        Check(f"{name} disk", free >= _ENOUGH_BYTES, f"{free / 1e9:.1f} GB free"),
    ]
