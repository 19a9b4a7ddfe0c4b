"""The end of a tenant: first it is marked, so that no new work begins, then its server is ended and all of it goes.

A removal that was broken off at any point is finished by whoever next makes or lists tenants.
"""

import shutil
import uuid
from collections.abc import Sequence
from pathlib import Path

from graph.embedded import client
from graph.embedded.folder import TenantFolder
from graph.errors import Conflict, UnknownTenant

_TRASH = ".trash"


def remove(folder: TenantFolder, belongings: Sequence[Path], *, timeout_s: float) -> None:
    """Remove a tenant's folder, and what lies elsewhere under the same folder name in each of `belongings`.

    Raises UnknownTenant when another caller has marked it already; Conflict when an operation on the tenant goes on
    for longer than `timeout_s`: the tenant is marked then, and goes when tenants are next listed.
    """
    try:
        folder.doomed.touch(mode=0o600, exist_ok=False)
    except (FileExistsError, FileNotFoundError) as exc:
        raise UnknownTenant(f"{folder.root.name} is not a tenant any more.") from exc
    with client.exclusive(folder, timeout_s=timeout_s):
        finish_held(folder, belongings)


def finish(folder: TenantFolder, belongings: Sequence[Path]) -> None:
    """Go on with a removal that was broken off, unless somebody is at it."""
    try:
        with client.exclusive(folder, timeout_s=0):
            finish_held(folder, belongings)
    except Conflict:
        return


def finish_held(folder: TenantFolder, belongings: Sequence[Path]) -> None:
    """Remove a tenant that is marked; nothing happens to one that isn't. The caller holds the operation lock."""
    if not folder.doomed.exists():
        return
    client.end_held(folder)
    for place in belongings:
        shutil.rmtree(place / folder.root.name, ignore_errors=True)
    # The name is free in one step; what is under the other one is nobody's.
    trash = folder.root.parent / _TRASH
    trash.mkdir(mode=0o700, exist_ok=True)
    folder.root.rename(trash / uuid.uuid4().hex)
    sweep(folder.root.parent)


def sweep(tenants: Path) -> None:
    """Remove what deleted tenants left."""
    shutil.rmtree(tenants / _TRASH, ignore_errors=True)
