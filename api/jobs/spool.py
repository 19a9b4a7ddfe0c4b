"""Uploads that wait for their job, as files."""

import time
from collections.abc import Set as AbstractSet
from pathlib import Path
from typing import Final

from graph.tenants import TenantId, directory_name

# An upload is a file before its job is announced.
_YOUNG_S: Final = 3600.0


class Spool:
    """A folder of files, each of one job, in a folder for each tenant. All methods block shortly."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def get_folder(self, tenant: TenantId) -> Path:
        """Return where a tenant's files are; it may have to be made."""
        return self._folder / directory_name(tenant)

    def remove(self, file: Path) -> None:
        """Remove a file of the spool; any other is left alone."""
        if file.parent.parent == self._folder:
            file.unlink(missing_ok=True)

    def tidy(self, wanted: AbstractSet[Path]) -> None:
        """Remove what crashes have left: all that is neither wanted nor new."""
        for file in self._folder.glob("t-*/*"):
            if file not in wanted and time.time() - file.stat().st_mtime > _YOUNG_S:
                file.unlink(missing_ok=True)
