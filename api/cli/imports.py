"""`cogniverse import`: a graph out of a file."""

import asyncio
import shutil
import sys
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.text import Text

from api.cli.fetching import fetch_server
from api.cli.interruption import Interruption
from api.cli.options import AsJson, Tenant
from api.cli.outcome import ExitCode, reported
from api.cli.session import get_tenant, make_teller
from api.cli.terminal import Terminal, make_table
from api.cli.transfer import RecordsBar
from api.config import Settings, load_settings
from graph.errors import InvalidInput

if TYPE_CHECKING:
    from graph.answers import Degradation
    from graph.imports.importing import ImportSummary

_STDIN = "-"
_STOPPED = "Stopped. Run the same command again to go on; until then the tenant has no graph to use."


@reported
def import_graph(
    file: Annotated[
        str,
        typer.Argument(
            metavar="FILE",
            help="A file that `cogniverse export --format json` wrote, compressed or not; `-` for standard input.",
            show_default=False,
        ),
    ],
    tenant: Tenant = None,
    as_json: AsJson = False,
) -> None:
    """Make a tenant's graph from a file. The tenant must be new or empty.

    The file is checked before anything is written, and the graph's hash afterwards; until then nothing uses the tenant.
    Ctrl-C ends the import after the current batch (exit code 130); the same command goes on from there.
    """
    settings = load_settings()
    terminal = Terminal()
    with _on_disk(file) as path:
        found = _import(settings, terminal, path, name=file if file != _STDIN else "standard input", tenant=tenant)
    if found is None:
        terminal.note(Text(_STOPPED, "yellow"))
        raise typer.Exit(ExitCode.INTERRUPTED)
    summary, degraded = found
    if as_json:
        terminal.print_json({**_fields(summary), "degraded": degraded})
        return
    rows = [
        ("hash", f"{summary.hash}, as the file says"),
        ("records", f"{summary.records:,}" + (f", {summary.resumed_from:,} before" if summary.resumed_from else "")),
        ("documents", f"{summary.documents:,}"),
        ("nodes", f"{summary.nodes:,}"),
        ("edges", f"{summary.edges:,}"),
        ("mentions", f"{summary.mentions:,}"),
    ]
    terminal.print(make_table([(Text(name, "bold"), value) for name, value in rows]))
    for one in degraded:
        terminal.note(Text(f"no embeddings: {one.reason}", "yellow"))


@contextmanager
def _on_disk(file: str) -> Generator[Path]:
    """A file that can be read twice: first to check it, then to write what it holds."""
    if file != _STDIN:
        path = Path(file)
        if not path.is_file():
            what = f"{file} is a folder" if path.is_dir() else f"There is no file {file}"
            raise InvalidInput(f"{what}. Give a file that `cogniverse export --format json` wrote.")
        yield path
        return
    with tempfile.NamedTemporaryFile(prefix="cogniverse-") as copy:
        shutil.copyfileobj(sys.stdin.buffer, copy)
        copy.flush()
        yield Path(copy.name)


def _import(
    settings: Settings, terminal: Terminal, path: Path, *, name: str, tenant: str | None
) -> "tuple[ImportSummary, tuple[Degradation, ...]] | None":
    from api.embedding import embed_new
    from api.modelling import Models
    from api.opening import open_database
    from graph.imports.importing import import_file
    from graph.imports.reading import check_file

    bar = RecordsBar(terminal)
    interruption = Interruption(
        on_first=lambda: terminal.note(
            Text("Stopping when the current batch is written; Ctrl-C again stops at once.", "yellow")
        ),
        on_second=bar.stop,
    )

    async def run() -> "tuple[ImportSummary, tuple[Degradation, ...]] | None":
        owner = get_tenant(settings, tenant)
        async with open_database(
            settings, owner, create=True, on_event=make_teller(terminal), importing=True
        ) as database:
            with bar, interruption:
                summary = await import_file(
                    database, path, facts, name=name, on_step=bar.update, cancel=interruption.event
                )
                if summary is None:
                    return None
                degraded = await embed_new(
                    database,
                    Models(settings),
                    cancel=interruption.event,
                    on_progress=lambda done: bar.update("vectors", done),
                )
                return summary, degraded

    with bar:
        facts = check_file(path, name, lambda done: bar.update("check", done))  # before a server is started for nothing
    fetch_server(settings, terminal)
    return asyncio.run(run())


def _fields(summary: "ImportSummary") -> dict[str, object]:
    import msgspec

    return msgspec.to_builtins(summary)
