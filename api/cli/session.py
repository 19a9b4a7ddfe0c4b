"""One command's use of a tenant's database, from settings to a closed connection."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, TypeVar

from rich.text import Text

from api.cli.terminal import Terminal, printable
from api.config import Settings, load_settings
from graph.errors import CogniverseError, InvalidInput, NotFound, UnknownTenant

if TYPE_CHECKING:
    from graph.database import Database

_Answer = TypeVar("_Answer")
_SUGGESTIONS = 3


def run_query(
    tenant: str | None, query: Callable[["Database"], Awaitable[_Answer]], *, refs: Sequence[str] = ()
) -> _Answer:
    """Answer a question to a tenant's graph; with `refs`, the nodes asked for, a NotFound names the nearest ones.

    Raises UnknownTenant for a tenant without a graph: reading makes none.
    """
    from api.opening import open_database

    settings = load_settings()
    terminal = Terminal()

    async def run() -> _Answer:
        tenant_name = get_tenant(settings, tenant)
        async with open_database(settings, tenant_name, create=False, on_event=make_teller(terminal)) as database:
            await _tell_drift(database, settings, tenant_name, terminal)
            try:
                return await query(database)
            except UnknownTenant:
                raise
            except NotFound as exc:
                raise NotFound(f"{exc}{await _suggest(database, exc, refs)}") from exc

    return asyncio.run(run())


def make_teller(terminal: Terminal) -> Callable[[str], None]:
    """Return what says on standard error why one is kept waiting."""

    def tell(event: str) -> None:
        terminal.note(Text(printable(event), "dim"))

    return tell


def get_tenant(settings: Settings, tenant: str | None) -> str:
    """Return the tenant asked for, else the one in the settings."""
    return settings.tenant if tenant is None else tenant


async def _tell_drift(database: "Database", settings: Settings, tenant: str, terminal: Terminal) -> None:
    """Say what the graph was made by where the program has another: its answers are those of then."""
    from api.drift import find_differences
    from api.modelling import Models
    from graph.tenants import parse_tenant

    # A search tells of vectors itself, and nothing else uses them.
    try:
        found = await find_differences(database, Models(settings), parse_tenant(tenant), with_vectors=False)
    except InvalidInput:  # an ontology that can't be read, which only concerns who reads documents
        return
    for difference in found:
        terminal.note(Text(printable(str(difference)), "yellow"))


async def _suggest(database: "Database", exc: NotFound, refs: Sequence[str]) -> str:
    from graph.search import search_nodes

    for ref in refs:
        if repr(ref) not in str(exc):
            continue
        try:
            found = await search_nodes(database, ref, top_k=_SUGGESTIONS)
        except CogniverseError:
            return ""
        if found.hits:
            return " Near it: " + ", ".join(hit.node.node_id for hit in found.hits) + "."
    return ""
