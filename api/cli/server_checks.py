"""What `cogniverse doctor` looks at in a tenant's server. Starts nothing."""

import asyncio
from collections.abc import Iterator
from typing import TYPE_CHECKING

from api.cli.checks import Check
from api.config import Settings
from graph.errors import CogniverseError

if TYPE_CHECKING:
    from graph.backends.base import Backend
    from graph.backends.embedded import EmbeddedBackend
    from graph.embedded.client import ServerStatus
    from graph.tenants import TenantId


def run_server_checks(settings: Settings, tenant: str) -> Iterator[Check]:
    """Check the server that a tenant has, or that others run for all."""
    return _run_own_checks(settings, tenant) if settings.runs_servers else _run_foreign_checks(settings, tenant)


def _run_foreign_checks(settings: Settings, tenant: str) -> Iterator[Check]:
    """Check a server that others run: whether it answers and will do, what it lacks, how the tenant is."""
    from api.opening import make_backend
    from graph.embedded.client import silent
    from graph.tenants import parse_tenant

    name = "Neo4j server"
    try:
        chosen = parse_tenant(tenant)
        backend = make_backend(settings, on_event=silent)
        facts = asyncio.run(backend.get_facts())
        view = asyncio.run(backend.describe(chosen))
    except CogniverseError as exc:
        yield Check(name, ok=False, detail=str(exc), fix="Do what is said above, or unset COGNIVERSE_NEO4J_URI.")
        return
    version = facts.neo4j or "of unknown version"
    yield Check(name, ok=True, detail=f"Neo4j {version} at {settings.neo4j_uri}, back end {facts.backend}")
    # What can be done without is said and is no fault.
    yield Check("graph science", ok=True, detail=facts.gds or "not there")
    for note in facts.notes:
        yield Check("note", ok=True, detail=note)
    state = "has no graph yet; `cogniverse index PATH` makes one" if view is None else f"is {view.state}"
    yield Check(f"tenant {tenant}", ok=True, detail=state)
    if view is not None:
        yield from asyncio.run(_check_drift(settings, backend, chosen))


def _run_own_checks(settings: Settings, tenant: str) -> Iterator[Check]:
    """Check a tenant's own server: its record, its processes, its ports, its password's file, Graph Data Science."""
    from api.opening import make_embedded
    from graph.embedded.client import silent
    from graph.errors import UnknownTenant
    from graph.tenants import parse_tenant

    name = f"tenant {tenant}"
    try:
        chosen = parse_tenant(tenant)
        backend = make_embedded(settings, on_event=silent)
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
        yield from asyncio.run(_check_drift(settings, backend, chosen))


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


async def _check_drift(settings: Settings, backend: "Backend", tenant: "TenantId") -> list[Check]:
    """Compare what the tenant's graph was made by with what the settings name."""
    from api.drift import find_differences
    from api.modelling import Models
    from graph.database import connect
    from graph.imports.mark import check_finished
    from graph.migrate import check_migrations

    name = "made by"
    try:
        async with connect(await backend.open(tenant, create=False)) as database:
            await check_migrations(database)
            await check_finished(database)
            differences = await find_differences(database, Models(settings), tenant)
    except CogniverseError as exc:
        return [Check(name, ok=False, detail=str(exc), fix="Do what is said above.")]
    if not differences:
        return [Check(name, ok=True, detail="extractors, models and schema as this program has them")]
    return [Check(name, ok=False, detail=one.message, fix=one.repair) for one in differences]
