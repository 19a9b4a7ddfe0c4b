"""The program `cogniverse`."""

import logging
from importlib.metadata import version
from typing import Annotated

import typer

from api.cli import claims, db, graph, keys, models, tenants
from api.cli.doctor import doctor
from api.cli.export import export
from api.cli.imports import import_graph
from api.cli.index import index
from api.cli.outcome import reported
from api.cli.quickstart import quickstart
from api.cli.serve import schema, serve
from api.config import load_settings

_EPILOG = (
    "Exit codes: 0 done, 1 error, 2 wrong usage or input, 3 not found, 4 ambiguous name, 5 no path, "
    "6 path longer than --max-depth, 130 interrupted."
)

app = typer.Typer(
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    help="A knowledge graph of your code and documents in Neo4j.",
    epilog=_EPILOG,
)
app.command()(index)
app.add_typer(graph.app, name="graph")
app.command()(export)
app.command("import")(import_graph)
app.add_typer(tenants.app, name="tenant")
app.add_typer(db.app, name="db")
app.add_typer(keys.app, name="key")
app.add_typer(models.app, name="models")
app.add_typer(claims.app, name="claims")
app.command()(serve)
app.command()(schema)
app.command()(doctor)
app.command(hidden=True)(quickstart)


def _print_version(value: bool) -> None:
    if value:
        typer.echo(f"cogniverse {version('cogniverse-graph')}")
        raise typer.Exit


@app.callback()
@reported
def configure(
    debug: Annotated[bool, typer.Option("--debug", help="Log everything and show tracebacks.")] = False,
    show_version: Annotated[  # noqa: ARG001 - its callback does the work
        bool,
        typer.Option("--version", callback=_print_version, is_eager=True, help="Show the version and end."),
    ] = False,
) -> None:
    """Set logging up before any command."""
    level = "DEBUG" if debug else load_settings().log_level
    logging.basicConfig(format="%(levelname)s %(name)s: %(message)s", force=True)
    for name in ("api", "extraction", "graph"):
        logging.getLogger(name).setLevel(level)
    # The driver logs each deadlock that it goes on to retry, and each error that we tell ourselves.
    logging.getLogger("neo4j").setLevel("DEBUG" if level == "DEBUG" else "CRITICAL")


def main() -> None:
    """Run the program: the entry point of the installed command."""
    app(prog_name="cogniverse")


if __name__ == "__main__":
    main()
