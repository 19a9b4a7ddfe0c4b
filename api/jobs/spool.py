"""Uploads that wait for their job, as files."""

import time
from collections.abc import Set as AbstractSet
from pathlib import Path
from typing import Final

# An upload is a file before its job is announced.
_YOUNG_S: Final = 3600.0


class Spool:
    """A folder of files, each of one job. All methods block shortly."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def remove(self, file: Path) -> None:
        """Remove a file of the spool; any other is left alone."""
        if file.parent == self.folder:
            file.unlink(missing_ok=True)

    def tidy(self, wanted: AbstractSet[Path]) -> None:
        """Make the folder, and remove what crashes have left in it: all that is neither wanted nor new."""
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        for file in self.folder.iterdir():
            if file not in wanted and time.time() - file.stat().st_mtime > _YOUNG_S:
                file.unlink(missing_ok=True)
