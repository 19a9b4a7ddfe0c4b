"""Which jobs are not ended yet, as files: so that nobody has to start a tenant's server to find out.

A hint is there before its job and goes after its end, one file a job, so that processes need not agree on anything.
"""

import time
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from filelock import FileLock

from graph.errors import CogniverseError, LimitExceeded
from graph.tenants import TenantId, directory_name, parse_tenant

_LOCK_TIMEOUT_S: Final = 10.0


@dataclass(frozen=True, slots=True)
class Hint:
    """A job that may not have ended, the seconds since it was announced, and the upload that waits for it."""

    tenant: TenantId
    job_id: str
    age_s: float
    spooled: Path | None


class PendingJobs:
    """The hints of a data folder. All methods block shortly; safe between processes."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def add(self, tenant: TenantId, job_id: str, *, at_most: int, spooled: Path | None = None) -> None:
        """Announce a job. Raises LimitExceeded when `at_most` are pending, and of this tenant at least one."""
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with FileLock(self._folder / ".lock", timeout=_LOCK_TIMEOUT_S):
            pending = self.fetch()
            # The queue of others never keeps a tenant from having one job in it.
            if len(pending) >= at_most and any(hint.tenant == tenant for hint in pending):
                raise LimitExceeded(f"{len(pending)} jobs are waiting already: try again when some of them have ended.")
            file = self._file(tenant, job_id)
            file.parent.mkdir(mode=0o700, exist_ok=True)
            file.write_text(f"{tenant}\n{spooled or ''}", encoding="utf-8")

    def remove(self, tenant: TenantId, job_id: str) -> None:
        """Take back what was announced."""
        self._file(tenant, job_id).unlink(missing_ok=True)

    def fetch(self) -> list[Hint]:
        """All hints, oldest first."""
        hints: list[Hint] = []
        now = time.time()
        for file in self._folder.glob("t-*/job-*"):
            try:
                made = file.stat().st_mtime
                name, _, spooled = file.read_text(encoding="utf-8").partition("\n")
                tenant = parse_tenant(name)
            except (OSError, ValueError, CogniverseError):
                continue  # removed meanwhile, or cut off by a crash: its job was never made
            hints.append(Hint(tenant, file.name, max(0.0, now - made), Path(spooled) if spooled else None))
        return sorted(hints, key=lambda hint: (-hint.age_s, hint.job_id))

    def _file(self, tenant: TenantId, job_id: str) -> Path:
        return self._folder / directory_name(tenant) / job_id
