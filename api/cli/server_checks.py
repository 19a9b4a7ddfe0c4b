"""What `cogniverse doctor` looks at in a tenant's server. Starts nothing."""

import asyncio
from collections.abc import Iterator
from typing import TYPE_CHECKING

from api.cli.checks import Check
from api.config import Settings
from graph.errors import CogniverseError

if TYPE_CHECKING:
    from graph.backends.embedded import EmbeddedBackend
    from graph.embedded.client import ServerStatus
    from graph.tenants import TenantId


def run_server_checks(settings: Settings, tenant: str) -> Iterator[Check]:
    """Check a tenant's server: its record, its processes, its ports, its password's file, Graph Data Science."""
    from api.opening import make_backend
    from graph.embedded.client import silent
    from graph.errors import UnknownTenant
    from graph.tenants import parse_tenant

    name = f"tenant {tenant}"
    try:
        chosen = parse_tenant(tenant)
        backend = make_backend(settings, on_event=silent)
        status = asyncio.run(backend.status(chosen))
    except UnknownTenant:
        yield Check(name, ok=True, detail="has no graph yet; `cogniverse index PATH` makes one")
        return
    except CogniverseError as exc:
        yield Check(name, ok=False, detail=str(exc), fix="Give another name with --tenant.")
        return
    yield _check_state(name, status)
    yield _check_password(backend, chosen)
    if status.bolt_port is not None:
        yield _check_ports(status)
        yield asyncio.run(_check_answers(backend, chosen))


def _check_state(name: str, status: "ServerStatus") -> Check:
    from graph.embedded.folder import Phase

    if status.phase is Phase.FAILED:
        fix = "Any command that needs it starts it again, after clearing what was left: try `cogniverse db start`."
        return Check(name, ok=False, detail=f"its server failed: {status.reason}", fix=fix)
    running = f", supervisor {status.supervisor_pid}, JVM {status.jvm_pid}" if status.jvm_pid else ""
    return Check(name, ok=True, detail=f"its server is {status.phase}{running}")


def _check_password(backend: "EmbeddedBackend", tenant: "TenantId") -> Check:
    file = backend.password_file(tenant)
    try:
        mode = file.stat().st_mode & 0o777
    except OSError as exc:
        fix = "Restore it from a backup, or `db load` a dump into another tenant."
        return Check("password", ok=False, detail=f"{file} can't be read: {exc.strerror}", fix=fix)
    if mode & 0o077:
        return Check("password", ok=False, detail=f"{file} can be read by others", fix=f"chmod 600 {file}")
    return Check("password", ok=True, detail=f"{file}, readable by its owner only")


def _check_ports(status: "ServerStatus") -> Check:
    import psutil

    from graph.embedded.server import listening_ports

    wanted = {port for port in (status.bolt_port, status.http_port) if port}
    shown = ", ".join(str(port) for port in sorted(wanted))
    try:
        missing = wanted - listening_ports(psutil.Process(status.jvm_pid))
    except psutil.Error as exc:
        return Check("ports", ok=False, detail=f"can't be looked at: {exc}", fix="Run as the user who started it.")
    if missing:
        fix = "Stop it with `cogniverse db stop`; the next start chooses free ports."
        return Check("ports", ok=False, detail=f"nothing of it listens on {missing}", fix=fix)
    return Check("ports", ok=True, detail=f"{shown} on 127.0.0.1")


async def _check_answers(backend: "EmbeddedBackend", tenant: "TenantId") -> Check:
    from graph.analytics import fetch_hubs
    from graph.database import connect

    name = "graph science"
    try:
        async with connect(await backend.open(tenant, create=False)) as database:
            await database.verify()
            await fetch_hubs(database, limit=1)
    except CogniverseError as exc:
        fix = "Restart the server: `cogniverse db stop`, `cogniverse db start`."
        return Check(name, ok=False, detail=str(exc), fix=fix)
    return Check(name, ok=True, detail="Neo4j and Graph Data Science answer")
