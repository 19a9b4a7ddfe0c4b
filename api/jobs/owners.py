"""Which processes of this machine are alive: each holds a lock that the system lets go of when it dies."""

import os
import secrets
import time
from pathlib import Path
from typing import Final

from filelock import FileLock, Timeout

_KEPT_S: Final = 24 * 3600.0


class Owners:
    """The owners of jobs in a data folder, this process among them. All methods block shortly."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.own_id = f"{os.getpid()}-{secrets.token_hex(6)}"
        self._lock = self._lock_of(self.own_id)

    def enter(self) -> None:
        """Count as alive until `leave`, or until the process ends however it does."""
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._tidy()
        self._lock.acquire(blocking=False)

    def leave(self) -> None:
        """Count as dead: jobs that are this process's still are taken up at once by others."""
        self._lock.release()

    def find_alive(self, owner: str) -> bool | None:
        """Whether an owner is alive; None for one of which nothing is known here: another machine's, or long gone."""
        if not self._file(owner).exists():
            return None
        lock = self._lock_of(owner)
        try:
            lock.acquire(blocking=False)
        except Timeout:
            return True
        lock.release()
        return False

    def _tidy(self) -> None:
        for file in self._folder.glob("*.lock"):
            if time.time() - file.stat().st_mtime > _KEPT_S and self.find_alive(file.stem) is False:
                file.unlink(missing_ok=True)

    def _file(self, owner: str) -> Path:
        return self._folder / f"{owner}.lock"

    def _lock_of(self, owner: str) -> FileLock:
        return FileLock(self._file(owner), thread_local=False, is_singleton=False)
