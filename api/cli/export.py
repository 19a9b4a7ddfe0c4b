"""`cogniverse export`: a tenant's whole graph as a file."""

import asyncio
import shutil
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.text import Text

from api.cli.options import AsJson, Tenant
from api.cli.outcome import reported
from api.cli.render import render_size
from api.cli.session import get_tenant, make_teller
from api.cli.terminal import Terminal, make_table, printable
from api.cli.transfer import RecordsBar
from api.config import Settings, load_settings
from graph.answers import ExportFormat
from graph.errors import Conflict, InvalidInput

if TYPE_CHECKING:
    from graph.exports import ExportSummary

_STDOUT = "-"
_VECTORS = "Embeddings are left out: `cogniverse import` and `index` make them anew where a model is set up."


@reported
def export(
    output: Annotated[
        str,
        typer.Option(
            "--output", "-o", metavar="FILE", help="The file to write, `-` for standard output.", show_default=False
        ),
    ],
    wanted: Annotated[
        ExportFormat,
        typer.Option("--format", help="cypher for Neo4j, graphml for Gephi and others, json for `cogniverse import`."),
    ] = ExportFormat.JSON,
    force: Annotated[bool, typer.Option("--force", help="Replace a file that is there.")] = False,
    tenant: Tenant = None,
    as_json: AsJson = False,
) -> None:
    """Write a tenant's whole graph to a file, as it is at one moment.

    A name that ends in .gz gives a compressed file. The file is there when it is whole; Ctrl-C leaves none.
    """
    settings = load_settings()
    terminal = Terminal()
    if output == _STDOUT:
        if as_json:
            raise InvalidInput("--json prints a summary where the graph would go: give -o a file.")
        with tempfile.TemporaryDirectory(prefix="cogniverse-") as place:
            # What was read may have to be read again when the graph changes meanwhile, so it can't be sent at once.
            file = Path(place) / "export"
            _write(settings, terminal, file, wanted, tenant)
            with file.open("rb") as stream:
                shutil.copyfileobj(stream, sys.stdout.buffer)
        return
    file = Path(output)
    _check_place(file, force=force)
    summary = _write(settings, terminal, file.absolute(), wanted, tenant)
    if as_json:
        terminal.print_json({"file": output, "format": wanted, **_fields(summary)})
        return
    rows = [
        ("file", f"{output}, {render_size(summary.bytes)}"),
        ("hash", summary.hash),
        ("records", f"{summary.records:,}"),
        ("documents", f"{summary.documents:,}"),
        ("nodes", f"{summary.nodes:,}"),
        ("edges", f"{summary.edges:,}"),
        ("mentions", f"{summary.mentions:,}"),
    ]
    terminal.print(make_table([(Text(name, "bold"), value) for name, value in rows]))
    terminal.note(Text(_VECTORS, "dim"))


def _check_place(file: Path, *, force: bool) -> None:
    """Raise before a server is started for nothing."""
    if file.is_dir():
        raise InvalidInput(f"{printable(str(file))} is a folder. Give the name of a file.")
    if file.exists() and not force:
        raise Conflict(f"{printable(str(file))} is there already: --force replaces it, or give another name.")
    if not file.absolute().parent.is_dir():
        raise InvalidInput(f"There is no folder {printable(str(file.absolute().parent))} to write to. Make it first.")


def _write(
    settings: Settings, terminal: Terminal, file: Path, wanted: ExportFormat, tenant: str | None
) -> "ExportSummary":
    from api.opening import open_database
    from graph.exports import write_export
    from graph.stats import get_stats

    async def run() -> "ExportSummary":
        name = get_tenant(settings, tenant)
        async with open_database(settings, name, create=False, on_event=make_teller(terminal)) as database:
            stats = await get_stats(database)
            # All but segments, of which most documents have one, and what merges need.
            total = stats.documents * 2 + stats.nodes + stats.edges + stats.mentions + stats.unresolved
            with RecordsBar(terminal) as bar:
                return await write_export(
                    database, wanted, file, lambda done: bar.update("export", done, max(done, total))
                )

    return asyncio.run(run())


def _fields(summary: "ExportSummary") -> dict[str, object]:
    import msgspec

    return msgspec.to_builtins(summary)
