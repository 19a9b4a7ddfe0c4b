"""How much disk is left where a server keeps its data: what is begun without room ends in the middle of a write."""

import os
from dataclasses import dataclass
from pathlib import Path

from graph.errors import NotAvailable

_MEGABYTE = 1_000_000


@dataclass(frozen=True, slots=True)
class Room:
    """The bytes that have to be free on the disk of a folder; 0 asks for none."""

    folder: Path
    least_bytes: int

    def find_shortage(self) -> int | None:
        """Return how many bytes are free when that is not enough, None when it is, or when it can't be told."""
        if not self.least_bytes:
            return None
        try:
            disk = os.statvfs(self.folder)
        except OSError:
            return None
        free = disk.f_bavail * disk.f_frsize
        return free if free < self.least_bytes else None

    def check(self, purpose: str) -> None:
        """Raise NotAvailable when there is not enough for `purpose`, such as "to write". Takes microseconds."""
        free = self.find_shortage()
        if free is not None:
            raise NotAvailable(
                f"The disk is nearly full: {free // _MEGABYTE} MB are free in {self.folder}, and"
                f" {self.least_bytes // _MEGABYTE} MB are needed {purpose}. Nothing is lost: make room and run the same"
                " again. COGNIVERSE_MIN_FREE_MB is the limit."
            )
