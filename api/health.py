"""Whether the process can do its work, found without starting a tenant's server."""

import asyncio
import os
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from api.config import Settings

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
