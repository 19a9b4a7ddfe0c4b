"""`cogniverse doctor`: what is wrong here, and how to put it right."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import typer
from rich.table import Table
from rich.text import Text

from api.cli.checks import Check, run_machine_checks
from api.cli.options import AsJson, Tenant
from api.cli.outcome import ExitCode, reported
from api.cli.session import get_tenant
from api.cli.terminal import Terminal, make_table
from api.config import load_settings

if TYPE_CHECKING:
    from api.config import Settings


@reported
def doctor(tenant: Tenant = None, as_json: AsJson = False) -> None:
    """Check the machine and a tenant's server. Exit code 1 when something is wrong; each finding names its fix."""
    settings = load_settings()
    terminal = Terminal()
    checks: list[Check] = []
    for check in _run(settings, get_tenant(settings, tenant)):
        checks.append(check)
        if not as_json:
            terminal.print(_render(check))
    wrong = sum(not check.ok for check in checks)
    if as_json:
        terminal.print_json({"ok": not wrong, "checks": checks})
    else:
        terminal.print("", f"{wrong} of {len(checks)} checks found something." if wrong else "All is well.")
    if wrong:
        raise typer.Exit(ExitCode.ERROR)


def _run(settings: "Settings", tenant: str) -> Iterator[Check]:
    from api.cli.server_checks import run_server_checks

    yield from run_machine_checks(settings)
    yield from run_server_checks(settings, tenant)


def _render(check: Check) -> Table:
    mark = Text("ok   ", "green") if check.ok else Text("wrong", "bold red")
    rows: list[tuple[Text | str, ...]] = [(mark, Text(f"{check.name:<14}", "bold"), check.detail)]
    if check.fix:
        rows.append((Text(), Text(), Text(f"fix: {check.fix}", "yellow")))
    return make_table(rows)
