"""The options that several commands share."""

from typing import Annotated

import typer

Tenant = Annotated[
    str | None,
    typer.Option(
        "--tenant",
        metavar="NAME",
        help="Whose graph: name or org:name. By default what COGNIVERSE_TENANT says, else default.",
        show_default=False,
    ),
]
AsJson = Annotated[
    bool,
    typer.Option("--json", help="Print JSON, and nothing else, on standard output; errors as JSON on standard error."),
]
Relations = Annotated[
    list[str] | None,
    typer.Option("--relation", metavar="NAME", help="Only these relations; may be given again.", show_default=False),
]
