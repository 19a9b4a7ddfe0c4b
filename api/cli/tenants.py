"""`cogniverse tenant`: whose graphs there are, and what each may hold."""

import asyncio
import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Final

import typer
from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from api.cli.fetching import fetch_server
from api.cli.options import AsJson
from api.cli.outcome import ExitCode, reported
from api.cli.render import render_size
from api.cli.session import make_teller
from api.cli.terminal import Terminal, make_table, printable
from api.config import load_settings
from graph.errors import InvalidInput, UnknownTenant

if TYPE_CHECKING:
    from graph.answers import GraphStats, TenantView
    from graph.backends.base import Backend
    from graph.quotas import Quota, Usage
    from graph.tenants import TenantId

_SIZE: Final = re.compile(r"(\d{1,16})\s*(?:([kmgt])b?|b)?", re.IGNORECASE)
_UNITS: Final = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12}
_NO_LIMIT: Final = "none"
_READY: Final = "READY"
_IMPORTING: Final = "IMPORTING"
"""Shown where an import is not finished: nothing else can use the graph."""

app = typer.Typer(no_args_is_help=True, help="Make, show, limit and delete tenants.")

Name = Annotated[str, typer.Argument(metavar="NAME", help="Which tenant: name or org:name.", show_default=False)]


@dataclass(frozen=True, slots=True)
class Description:
    """A tenant and its graph, which is None while it is made or deleted; `disk_bytes` is None where it isn't known."""

    tenant: "TenantView"
    backend: str
    stats: "GraphStats | None"
    quota: "Quota | None"
    usage: "Usage | None"
    disk_bytes: int | None


@app.command()
@reported
def create(
    name: Name,
    display_name: Annotated[
        str, typer.Option("--display-name", metavar="TEXT", help="The name for people; else NAME.", show_default=False)
    ] = "",
    as_json: AsJson = False,
) -> None:
    """Make an empty tenant."""
    terminal = Terminal()
    backend, tenant = _open_backend(terminal, name)
    fetch_server(load_settings(), terminal)
    view = asyncio.run(backend.create(tenant, display_name))
    if as_json:
        terminal.print_json(view)
    else:
        terminal.print(f"{printable(view.tenant_id)} is made, and empty.")


@app.command("list")
@reported
def list_tenants(as_json: AsJson = False) -> None:
    """Show all tenants, those that are being deleted too. Starts nothing."""
    terminal = Terminal()
    backend, _ = _open_backend(terminal, None)
    views = asyncio.run(backend.describe_all())
    if as_json:
        terminal.print_json({"tenants": views})
    elif views:
        terminal.print(_render_tenants(views))
    else:
        terminal.print("No tenants yet: `cogniverse tenant create NAME` or `cogniverse index PATH` makes one.")


@app.command()
@reported
def describe(name: Name, as_json: AsJson = False) -> None:
    """Show one tenant: its state, what its graph holds, what it may hold, and what it takes on disk."""
    terminal = Terminal()
    description = asyncio.run(_describe(terminal, name))
    if as_json:
        terminal.print_json(description)
    else:
        terminal.print(*_render_description(description))


@app.command()
@reported
def delete(
    name: Name,
    yes: Annotated[bool, typer.Option("--yes", help="Don't ask.")] = False,
    as_json: AsJson = False,
) -> None:
    """Delete a tenant with all that it has, for good. Asks to type its name first."""
    terminal = Terminal()
    backend, tenant = _open_backend(terminal, name)
    if not yes and not sys.stdin.isatty():
        raise InvalidInput(f"There is nobody to ask whether to delete {tenant} for good: give --yes.")
    if asyncio.run(backend.describe(tenant)) is None:
        raise UnknownTenant(f"There is no tenant {str(tenant)!r}: see `cogniverse tenant list`.")
    if not yes and not _confirm(tenant):
        terminal.note("Nothing was deleted.")
        raise typer.Exit(ExitCode.ERROR)
    view = asyncio.run(backend.delete(tenant))
    if as_json:
        terminal.print_json({"deleted": view.tenant_id})
    else:
        terminal.print(f"{printable(view.tenant_id)} is deleted, with all that it had.")


@app.command()
@reported
def limit(
    name: Name,
    documents: Annotated[
        str | None, typer.Option(metavar="N", help="The most documents, or none.", show_default=False)
    ] = None,
    nodes: Annotated[str | None, typer.Option(metavar="N", help="The most nodes, or none.", show_default=False)] = None,
    size: Annotated[
        str | None,
        typer.Option("--bytes", metavar="SIZE", help="The most text, such as 500m or 2g, or none.", show_default=False),
    ] = None,
    jobs: Annotated[
        str | None, typer.Option(metavar="N", help="The most jobs that wait or run, or none.", show_default=False)
    ] = None,
    no_limits: Annotated[bool, typer.Option("--none", help="Take all limits away.")] = False,
    as_json: AsJson = False,
) -> None:
    """Limit what a tenant may hold. What isn't named stays as it is; a tenant over a limit keeps what it has."""
    given = {"documents": documents, "nodes": nodes, "bytes": size, "jobs": jobs}
    changes = {what: _parse_limit(what, text) for what, text in given.items() if text is not None}
    if no_limits == bool(changes):
        raise InvalidInput("Give --none, or at least one of --documents, --nodes, --bytes and --jobs.")
    terminal = Terminal()
    quota, usage = asyncio.run(_limit(terminal, name, None if no_limits else changes))
    if as_json:
        terminal.print_json({"quota": quota, "usage": usage})
    else:
        terminal.print(_render_quota(quota, usage))


async def _describe(terminal: Terminal, name: str) -> Description:
    from api.opening import open_database
    from graph.backends.embedded import EmbeddedBackend
    from graph.imports.mark import is_importing
    from graph.quotas import get_quota, get_usage
    from graph.stats import get_stats

    backend, tenant = _open_backend(terminal, name)
    view = await backend.describe(tenant)
    if view is None:
        raise UnknownTenant(f"There is no tenant {str(tenant)!r}: see `cogniverse tenant list`.")
    facts = await backend.get_facts()
    stats = quota = usage = None
    if view.state == _READY:
        async with open_database(
            load_settings(), name, create=False, on_event=make_teller(terminal), importing=True
        ) as database:
            if await is_importing(database):
                view = replace(view, state=_IMPORTING)
            stats, quota, usage = await get_stats(database), await get_quota(database), await get_usage(database)
    disk_bytes = (await backend.status(tenant)).data_bytes if isinstance(backend, EmbeddedBackend) else None
    return Description(view, facts.backend, stats, quota, usage, disk_bytes)


async def _limit(terminal: Terminal, name: str, changes: "dict[str, int | None] | None") -> "tuple[Quota, Usage]":
    from api.opening import open_database
    from graph.quotas import Quota, get_quota, get_usage, set_quota

    async with open_database(load_settings(), name, create=False, on_event=make_teller(terminal)) as database:
        quota = Quota() if changes is None else replace(await get_quota(database), **changes)
        await set_quota(database, quota)
        return quota, await get_usage(database)


def _open_backend(terminal: Terminal, name: str | None) -> "tuple[Backend, TenantId]":
    from api.opening import make_backend
    from graph.tenants import parse_tenant

    settings = load_settings()
    tenant = parse_tenant(settings.tenant if name is None else name)
    return make_backend(settings, on_event=make_teller(terminal)), tenant


def _confirm(tenant: "TenantId") -> bool:
    typed = typer.prompt(
        f"This deletes {tenant} with its graph, jobs and exports, for good. Type its name to go on", err=True
    )
    return typed == str(tenant)


def _parse_limit(what: str, text: str) -> int | None:
    """A number, for bytes with a unit of a thousand, a million and so on; None for `none`."""
    if text.strip().lower() == _NO_LIMIT:
        return None
    match = _SIZE.fullmatch(text.strip().replace(",", "").replace("_", ""))
    if match is None or (match[2] and what != "bytes"):
        example = "such as 500m or 2g" if what == "bytes" else "such as 1000"
        raise InvalidInput(f"--{what} takes a whole number, {example}, or none; not {text[:40]!r}.")
    return int(match[1]) * _UNITS[(match[2] or "").lower()]


def _render_tenants(views: "Sequence[TenantView]") -> Table:
    rows = [
        (
            Text(printable(view.tenant_id), "bold"),
            view.display_name,
            Text(view.state.lower(), "green" if view.state == _READY else "yellow"),
            f"{view.created_at:%Y-%m-%d %H:%M}",
        )
        for view in views
    ]
    return make_table(rows, header=("tenant", "name", "state", "created"))


def _render_description(description: Description) -> list[RenderableType]:
    view, stats = description.tenant, description.stats
    rows = [
        ("tenant", view.tenant_id),
        ("name", view.display_name),
        ("state", view.state.lower()),
        ("created", f"{view.created_at:%Y-%m-%d %H:%M} UTC"),
        ("back end", description.backend),
    ]
    if stats is not None:
        rows += [("edges", f"{stats.edges:,}"), ("mentions", f"{stats.mentions:,}")]
    if description.disk_bytes is not None:
        rows.append(("on disk", render_size(description.disk_bytes)))
    lines: list[RenderableType] = [make_table([(Text(name, "bold"), value) for name, value in rows])]
    if description.quota is not None and description.usage is not None:
        lines += ["", _render_quota(description.quota, description.usage)]
    return lines


def _render_quota(quota: "Quota", usage: "Usage") -> Table:
    rows: list[tuple[Text | str, ...]] = []
    for what in ("documents", "nodes", "bytes", "jobs"):
        used, most = getattr(usage, what), getattr(quota, what)
        show = render_size if what == "bytes" else "{:,}".format
        style = "red" if most is not None and used >= most else ""
        rows.append((Text(what, "bold"), Text(show(used), style), "no limit" if most is None else f"of {show(most)}"))
    return make_table(rows, header=("", "used", "limit"), right=(1,))
