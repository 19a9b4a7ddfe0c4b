"""`cogniverse index`: a folder into the graph."""

import asyncio
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from api.cli.fetching import fetch_server
from api.cli.interruption import Interruption
from api.cli.options import AsJson, Tenant
from api.cli.outcome import ExitCode, reported
from api.cli.progress import ProgressView
from api.cli.render import render_report
from api.cli.session import get_tenant, make_teller
from api.cli.terminal import Terminal
from api.config import Settings, load_settings
from extraction.report import IndexProgress, IndexReport, Stage


class ContentType(StrEnum):
    """What a folder holds."""

    AUTO = "auto"
    CODE = "code"
    DOCS = "docs"


@reported
def index(
    path: Annotated[Path, typer.Argument(help="The folder to index.", show_default=False)],
    content_type: Annotated[ContentType, typer.Option("--type", help="What the folder holds.")] = ContentType.CODE,
    prefix: Annotated[
        str,
        typer.Option(
            metavar="NAME", help="Put before each path, to keep several folders apart in one graph.", show_default=False
        ),
    ] = "",
    prune: Annotated[
        bool, typer.Option("--prune/--no-prune", help="Remove what came from files that are gone.")
    ] = True,
    tenant: Tenant = None,
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="List every skipped and failed file.")] = False,
    as_json: AsJson = False,
) -> None:
    """Index a folder: only what changed since the last time is read and written.

    Files that .gitignore or .cogniverseignore name, installed packages and binaries are left out. Ctrl-C ends the run
    at a whole state (exit code 130); the same command goes on from there.
    """
    settings = load_settings()
    terminal = Terminal()
    report = run_index(settings, terminal, path, tenant=tenant, content_type=content_type, prefix=prefix, prune=prune)
    if as_json:
        terminal.print_json(report)
    else:
        terminal.print(*render_report(report, verbose=verbose))
    if report.cancelled:
        terminal.note(
            Text("Stopped. What was written is whole and stays; run the same command again to go on.", "yellow")
        )
        raise typer.Exit(ExitCode.INTERRUPTED)


def run_index(
    settings: Settings,
    terminal: Terminal,
    path: Path,
    *,
    tenant: str | None = None,
    content_type: ContentType = ContentType.CODE,
    prefix: str = "",
    prune: bool = True,
) -> IndexReport:
    """Index a folder with progress on standard error and Ctrl-C minded."""
    from api.embedding import embed_new
    from api.modelling import Models
    from api.opening import open_database
    from extraction.pipeline import IndexOptions, index_folder
    from extraction.scan import get_folder
    from graph.tenants import directory_name, parse_tenant

    models = Models(settings)
    root = get_folder(path)  # before a server is started for nothing
    name = get_tenant(settings, tenant)
    fetch_server(settings, terminal)
    options = IndexOptions(
        content_type=content_type.value,
        workers=settings.workers,
        prefix=prefix,
        prune=prune,
        cache_dir=settings.cache_dir / "facts" / directory_name(parse_tenant(name)),
    )

    async def run() -> IndexReport:
        async with open_database(settings, name, create=True, on_event=make_teller(terminal)) as database:
            view = ProgressView(terminal.err)
            interruption = Interruption(
                on_first=lambda: terminal.note(
                    Text("Stopping when the current batch is written; Ctrl-C again stops at once.", "yellow")
                ),
                on_second=view.stop,
            )
            with view, interruption:
                report = await index_folder(
                    database,
                    root,
                    options=options,
                    models=await asyncio.to_thread(models.get_document_models, parse_tenant(name)),
                    on_progress=view.update,
                    cancel=interruption.event,
                )
                if report.cancelled:
                    return report
                degraded = await embed_new(
                    database,
                    models,
                    cancel=interruption.event,
                    on_progress=lambda done: view.update(IndexProgress(Stage.VECTORS, done, 0)),
                )
                return replace(report, degraded=(*report.degraded, *degraded), cancelled=interruption.event.is_set())

    try:
        report = asyncio.run(run())
    except KeyboardInterrupt:
        terminal.note(Text("Stopped before anything was written; run the same command again to index.", "yellow"))
        raise
    read = report.files_indexed + report.files_unchanged + len(report.skipped) + len(report.failed)
    if not read and not report.cancelled:
        other = "auto reads documents, too" if content_type is ContentType.CODE else "code reads programs"
        terminal.note(Text(f"No file here is of the type {content_type.value}: --type {other}.", "yellow"))
    return report
