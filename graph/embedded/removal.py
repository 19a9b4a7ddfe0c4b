"""The end of a tenant: first it is marked, so that no new work begins, then its server is ended and all of it goes.

A removal that was broken off at any point is finished by whoever next opens, makes or lists any tenant.
"""

import logging
import shutil
import uuid
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from graph.backends.belongings import remove_belongings
from graph.embedded import client
from graph.embedded.folder import TenantFolder
from graph.errors import Conflict, UnknownTenant

_TRASH: Final = ".trash"

_log: Final = logging.getLogger(__name__)


def remove(folder: TenantFolder, belongings: Sequence[Path], *, timeout_s: float) -> None:
    """Remove a tenant's folder, and what lies elsewhere under the same folder name in each of `belongings`.

    Raises UnknownTenant when another caller has marked it already; Conflict when an operation on the tenant goes on
    for longer than `timeout_s`, and OSError where something can't be removed: the tenant is marked then and takes no
    more work, and its removal is tried again when a tenant is next opened, made or listed.
    """
    try:
        folder.doomed.touch(mode=0o600, exist_ok=False)
    except (FileExistsError, FileNotFoundError) as exc:
        raise UnknownTenant(f"{folder.root.name} is not a tenant any more.") from exc
    with client.exclusive(folder, timeout_s=timeout_s):
        finish_held(folder, belongings)


def finish_all(tenants: Path, belongings: Sequence[Path]) -> None:
    """Go on with all removals that were broken off. Costs one look at each tenant's folder when there are none.

    One that somebody is at, or that still can't be done, is left for the next time.
    """
    for mark in sorted(tenants.glob(f"t-*/{TenantFolder(tenants).doomed.name}")):
        folder = TenantFolder(mark.parent)
        try:
            with client.exclusive(folder, timeout_s=0):
                finish_held(folder, belongings)
        except Conflict:
            continue
        except OSError as exc:
            _log.warning("the removal of %s could not be finished: %s", folder.root, exc)
    _sweep(tenants)


def finish_held(folder: TenantFolder, belongings: Sequence[Path]) -> None:
    """Remove a tenant that is marked; nothing happens to one that isn't. The caller holds the operation lock."""
    if not folder.doomed.exists():
        return
    client.end_held(folder)
    remove_belongings(belongings, folder.root.name)
    # The name is free in one step; what is under the other one is nobody's.
    trash = folder.root.parent / _TRASH
    trash.mkdir(mode=0o700, exist_ok=True)
    folder.root.rename(trash / uuid.uuid4().hex)
    _sweep(folder.root.parent)


def _sweep(tenants: Path) -> None:
    """Remove what deleted tenants left. The place itself stays for others who are about to use it."""
    for left in (tenants / _TRASH).glob("*"):
        shutil.rmtree(left, ignore_errors=True)
