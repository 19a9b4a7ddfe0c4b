"""`cogniverse serve`: the API over HTTP."""

import asyncio
import socket
from contextlib import nullcontext
from typing import Annotated

import typer
from rich.text import Text

from api.cli.fetching import fetch_server
from api.cli.outcome import reported
from api.cli.terminal import Terminal
from api.config import Settings, load_settings
from graph.errors import InvalidInput

_SHUTDOWN_S = 5


@reported
def serve(
    host: Annotated[
        str | None, typer.Option(metavar="ADDRESS", help="Address to listen on.", show_default=False)
    ] = None,
    port: Annotated[
        int | None, typer.Option(metavar="N", min=0, max=65_535, help="Port, 0 for a free one.", show_default=False)
    ] = None,
    workers: Annotated[int, typer.Option(metavar="N", min=1, max=64, help="Processes that answer requests.")] = 1,
    reload: Annotated[
        bool, typer.Option("--reload", help="Start again when the code changes: for developers.")
    ] = False,
) -> None:
    """Serve GraphQL, REST, exports, health and metrics over HTTP; Ctrl-C lets requests and jobs end well."""
    settings = load_settings()
    terminal = Terminal()
    address = settings.host if host is None else host
    _check_access(settings, address, terminal)
    if reload and workers > 1:
        raise InvalidInput("--reload works with one process: leave --workers out.")
    fetch_server(settings, terminal)
    _check_server(settings, terminal)
    import uvicorn

    from api.observability.sharing import shared_metrics

    shown = f"[{address}]" if ":" in address else address
    number = (settings.port if port is None else port) or _choose_port(address)
    terminal.note(Text(f"http://{shown}:{number}/graphql", "bold"))
    with shared_metrics() if workers > 1 else nullcontext():
        uvicorn.run(
            "api.app:create_app",
            factory=True,
            host=address,
            port=number,
            workers=workers if workers > 1 else None,
            reload=reload,
            access_log=False,
            log_config=None,
            server_header=False,
            timeout_graceful_shutdown=_SHUTDOWN_S,
            ws="websockets-sansio",
            ws_max_size=settings.max_body_bytes,
        )


def _check_server(settings: Settings, terminal: Terminal) -> None:
    """Ask a server that others run whether it will do. Raises NotAvailable that names all that is missing."""
    from api.opening import make_backend

    if settings.runs_servers:
        return
    facts = asyncio.run(make_backend(settings, on_event=lambda _: None).get_facts())
    terminal.note(f"Neo4j {facts.neo4j or 'of unknown version'} at {settings.neo4j_uri}, back end {facts.backend}")
    terminal.note(*(Text(note, "yellow") for note in facts.notes))


def _choose_port(address: str) -> int:
    with socket.socket(socket.AF_INET6 if ":" in address else socket.AF_INET) as free:
        free.bind((address, 0))
        return free.getsockname()[1]


def schema() -> None:
    """Print the GraphQL schema as SDL."""
    from api.graphql.schema import print_sdl

    typer.echo(print_sdl(load_settings()), nl=False)


def _check_access(settings: Settings, address: str, terminal: Terminal) -> None:
    from api.auth.access import Authenticator
    from api.auth.loopback import is_loopback

    if not Authenticator(settings).loopback_only:
        return
    if not is_loopback(address):
        raise InvalidInput(
            f"Without keys only this machine may be served, and {address} can be reached from others: make a key with"
            " `cogniverse key create --tenants '*' --role admin`, or set COGNIVERSE_JWT_SECRET or"
            " COGNIVERSE_JWT_JWKS_URL."
        )
    terminal.note(
        Text(
            "No keys: everybody on this machine may read and change every tenant. `cogniverse key create` ends that.",
            "yellow",
        )
    )
