"""`cogniverse db`: the servers behind the graphs."""

import asyncio
import webbrowser
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table
from rich.text import Text

from api.cli.fetching import fetch_server
from api.cli.options import AsJson, Tenant
from api.cli.outcome import reported
from api.cli.render import render_duration, render_size
from api.cli.session import get_tenant, make_teller
from api.cli.terminal import Terminal, make_table, printable
from api.config import load_settings
from graph.errors import Conflict, InvalidInput, NotAvailable

if TYPE_CHECKING:
    from api.config import Settings
    from graph.backends.embedded import EmbeddedBackend
    from graph.embedded.client import ServerStatus
    from graph.tenants import TenantId

app = typer.Typer(no_args_is_help=True, help="Look after the Neo4j servers.")


@app.command()
@reported
def status(
    all_tenants: Annotated[bool, typer.Option("--all", help="Every tenant, not only one.")] = False,
    tenant: Tenant = None,
    as_json: AsJson = False,
) -> None:
    """Show what runs for a tenant, on which ports, and how big it is; or what the server is. Starts nothing."""
    terminal = Terminal()
    if not load_settings().runs_servers:
        _show_server(load_settings(), terminal, as_json=as_json)
        return
    backend, chosen = _open_backend(terminal, tenant)
    found = asyncio.run(_fetch_status(backend, None if all_tenants else chosen))
    if as_json:
        terminal.print_json({"tenants": [{"tenant": name, **_fields(state)} for name, state in found]})
    elif found:
        terminal.print(_render_status(found))
        for name, state in found:
            terminal.print(*(Text(f"{name}: {printable(line)}", "dim") for line in state.reason.splitlines()))
    else:
        terminal.print("No tenants yet: `cogniverse index PATH` makes one.")


@app.command()
@reported
def start(tenant: Tenant = None) -> None:
    """Start a tenant's server, after fetching Neo4j and making the tenant where need be."""
    terminal = Terminal()
    fetch_server(load_settings(), terminal)
    backend, chosen = _open_backend(terminal, tenant)
    endpoint = asyncio.run(backend.open(chosen, create=True))
    terminal.print(f"{chosen} runs at {endpoint.uri}")


@app.command()
@reported
def stop(
    all_tenants: Annotated[bool, typer.Option("--all", help="Every tenant's server.")] = False,
    tenant: Tenant = None,
) -> None:
    """Stop a tenant's server; its data stays, and the next command that needs it starts it again."""
    terminal = Terminal()
    backend, chosen = _open_backend(terminal, tenant)
    for name, stopped in asyncio.run(_stop(backend, None if all_tenants else chosen)):
        terminal.print(f"{name} is stopped." if stopped else f"{name} was not running.")


@app.command()
@reported
def browser(
    open_page: Annotated[bool, typer.Option("--open/--no-open", help="Open it in the web browser.")] = True,
    tenant: Tenant = None,
    as_json: AsJson = False,
) -> None:
    """Open Neo4j Browser on a tenant's graph, with the user's name and where the password is."""
    terminal = Terminal()
    settings = load_settings()
    if not settings.runs_servers:
        raise NotAvailable(
            f"The Neo4j server at {settings.neo4j_uri} is run by others. Its Neo4j Browser is usually on port 7474 of"
            f" the same machine, or 7473 over HTTPS, and Aura's in its console; log in there as {settings.neo4j_user}."
        )
    backend, chosen = _open_backend(terminal, tenant)
    endpoint = asyncio.run(backend.open(chosen, create=False))
    bolt = endpoint.uri.replace("://", f"://{endpoint.user}@")
    # Source: https://neo4j.com/docs/browser/operations/browser-url-parameters/
    url = f"{asyncio.run(backend.browser_url(chosen))}?dbms={bolt}&db={endpoint.database}"
    password_file = backend.password_file(chosen)
    if as_json:
        terminal.print_json(
            {"url": url, "bolt": endpoint.uri, "user": endpoint.user, "password_file": str(password_file)}
        )
    else:
        rows = [("address", url), ("user", endpoint.user), ("password", f"in {password_file}")]
        terminal.print(make_table([(Text(name, "bold"), value) for name, value in rows]))
    if open_page and not as_json and not _show_page(url):
        terminal.note("No web browser was found here: open the address yourself.")


@app.command()
@reported
def dump(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The file to write.", show_default=False)],
    tenant: Tenant = None,
) -> None:
    """Write a tenant's whole database to a file. Its server is stopped for it, unless somebody is connected."""
    if file.exists():
        raise InvalidInput(f"{file} is there already. Give another name, or move it away.")
    if not file.absolute().parent.is_dir():
        raise InvalidInput(f"There is no folder {file.absolute().parent} to write to. Make it first.")
    terminal = Terminal()
    backend, chosen = _open_backend(terminal, tenant)
    size_bytes = asyncio.run(backend.dump(chosen, file.absolute()))
    terminal.print(f"{chosen} is in {printable(str(file))}, {render_size(size_bytes)}.")


@app.command()
@reported
def load(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A file made by `db dump`.", show_default=False)],
    force: Annotated[bool, typer.Option("--force", help="Replace the graph that the tenant has.")] = False,
    tenant: Tenant = None,
) -> None:
    """Make a tenant's database from a file. One that has a graph already is replaced only with --force."""
    if not file.is_file():
        raise InvalidInput(f"There is no file {file}. Give one that `cogniverse db dump` made.")
    terminal = Terminal()
    fetch_server(load_settings(), terminal)
    backend, chosen = _open_backend(terminal, tenant)
    if not force and chosen in asyncio.run(backend.list_tenants()):
        raise Conflict(f"{chosen} has a graph already: --force replaces it; `cogniverse db dump` keeps it first.")
    asyncio.run(backend.load(chosen, file.absolute(), overwrite=force))
    terminal.print(f"{chosen} now holds what is in {printable(str(file))}.")


def _open_backend(terminal: Terminal, tenant: str | None) -> "tuple[EmbeddedBackend, TenantId]":
    from api.opening import make_embedded
    from graph.tenants import parse_tenant

    settings = load_settings()
    return make_embedded(settings, on_event=make_teller(terminal)), parse_tenant(get_tenant(settings, tenant))


def _show_server(settings: "Settings", terminal: Terminal, *, as_json: bool) -> None:
    """Show what a server is that others run."""
    from api.opening import make_backend

    facts = asyncio.run(make_backend(settings, on_event=make_teller(terminal)).get_facts())
    if as_json:
        terminal.print_json({"uri": settings.neo4j_uri, "user": settings.neo4j_user, **_fields(facts)})
        return
    rows = [
        ("address", settings.neo4j_uri or "-"),
        ("user", settings.neo4j_user),
        ("back end", facts.backend),
        ("Neo4j", facts.neo4j or "of unknown version"),
        ("GDS", facts.gds or "none"),
    ]
    terminal.print(make_table([(Text(name, "bold"), Text(printable(value))) for name, value in rows]))
    terminal.print(*(Text(note, "yellow") for note in facts.notes))


async def _fetch_status(backend: "EmbeddedBackend", tenant: "TenantId | None") -> "list[tuple[str, ServerStatus]]":
    tenants = await backend.list_tenants() if tenant is None else [tenant]
    return [(str(one), await backend.status(one)) for one in tenants]


async def _stop(backend: "EmbeddedBackend", tenant: "TenantId | None") -> list[tuple[str, bool]]:
    tenants = await backend.list_tenants() if tenant is None else [tenant]
    return [(str(one), await backend.stop(one)) for one in tenants]


def _render_status(found: "Sequence[tuple[str, ServerStatus]]") -> Table:
    header = ("tenant", "state", "bolt", "http", "on disk", "memory", "up", "clients", "idle", "pid")
    rows = [
        (
            Text(name, "bold"),
            Text(str(state.phase), "green" if state.bolt_port else "dim"),
            _show(state.bolt_port),
            _show(state.http_port),
            render_size(state.data_bytes),
            "-" if state.resident_bytes is None else render_size(state.resident_bytes),
            render_duration(state.uptime_s),
            _show(state.clients),
            render_duration(state.idle_s),
            _show(state.jvm_pid),
        )
        for name, state in found
    ]
    return make_table(rows, header=header)


def _show(number: int | None) -> str:
    return "-" if number is None else str(number)


def _show_page(url: str) -> bool:
    try:
        return webbrowser.open(url)
    except (webbrowser.Error, OSError):
        return False


def _fields(value: object) -> dict[str, object]:
    import msgspec

    return msgspec.to_builtins(value)
