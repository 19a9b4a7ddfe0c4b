"""`cogniverse graph reset-vectors`: the way to another embedding model."""

from typing import Annotated

import typer

from api.cli.options import AsJson, Tenant
from api.cli.outcome import reported
from api.cli.session import run_query
from api.cli.terminal import Terminal


@reported
def reset_vectors(
    yes: Annotated[bool, typer.Option("--yes", help="Say that all vectors of the tenant may go.")] = False,
    tenant: Tenant = None,
    as_json: AsJson = False,
) -> None:
    """Remove all vectors of a tenant, so that the next `index` makes them with the model of the settings."""
    from graph.errors import InvalidInput
    from graph.vectors.state import reset_vectors as reset

    if not yes:
        raise InvalidInput(
            "This removes all vectors of the tenant, which take as long to make as they took: give --yes."
        )
    removed = run_query(tenant, reset)
    terminal = Terminal()
    if as_json:
        terminal.print_json({"removed": removed})
    else:
        terminal.note(f"{removed:,} vectors were removed. `cogniverse index` makes new ones.")
