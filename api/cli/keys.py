"""`cogniverse key`: who may use the API."""

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table
from rich.text import Text

from api.cli.options import AsJson
from api.cli.outcome import reported
from api.cli.terminal import Terminal, make_table
from api.config import load_settings

if TYPE_CHECKING:
    from api.auth.keys import ApiKey, KeyStore

_MAX_DAYS = 36_500

app = typer.Typer(no_args_is_help=True, help="Look after the keys of the API.")


@app.command()
@reported
def create(
    tenants: Annotated[
        str,
        typer.Option(metavar="NAMES", help="Its tenants, with commas: name, org:name, org:* or * for all."),
    ],
    role: Annotated[str, typer.Option(metavar="ROLE", help="reader, writer (may ingest) or admin (may do all).")],
    name: Annotated[str, typer.Option(metavar="TEXT", help="What to know it by.")] = "",
    expires_days: Annotated[
        int | None,
        typer.Option(metavar="N", min=1, max=_MAX_DAYS, help="Days until it ends by itself.", show_default=False),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Make a key and show it, this once: what is kept can't show it again."""
    from api.auth.principal import parse_role

    expires_at = None if expires_days is None else datetime.now(UTC) + timedelta(days=expires_days)
    wanted = [part.strip() for part in tenants.split(",") if part.strip()]
    text, key = _open_store().create(tenants=wanted, role=parse_role(role), name=name, expires_at=expires_at)
    terminal = Terminal()
    if as_json:
        terminal.print_json({"key": text, **_fields(key)})
        return
    terminal.print(Text(text))
    terminal.note(f"Key {key.key_id}: keep it safe, it is not shown again. Send it as `Authorization: Bearer …`.")


@app.command("list")
@reported
def list_keys(as_json: AsJson = False) -> None:
    """Show all keys, those that no longer count as well; never their text."""
    terminal = Terminal()
    keys = _open_store().list()
    if as_json:
        terminal.print_json({"keys": [_fields(key) for key in keys]})
    elif keys:
        terminal.print(_render_keys(keys))
    else:
        terminal.print("No keys yet: only this machine is served. `cogniverse key create` makes one.")


@app.command()
@reported
def revoke(
    key_id: Annotated[str, typer.Argument(metavar="ID", help="The key's id, as in `key list`.", show_default=False)],
    as_json: AsJson = False,
) -> None:
    """End a key at once and for good."""
    terminal = Terminal()
    key = _open_store().revoke(key_id)
    if as_json:
        terminal.print_json(_fields(key))
    else:
        terminal.print(f"Key {key.key_id} no longer opens anything.")


def _open_store() -> "KeyStore":
    from api.auth.keys import KeyStore

    return KeyStore(load_settings().data_dir)


def _fields(key: "ApiKey") -> dict[str, object]:
    return {
        "id": key.key_id,
        "name": key.name,
        "role": key.role,
        "tenants": key.tenants,
        "state": _state(key),
        "created_at": key.created_at,
        "expires_at": key.expires_at,
        "revoked_at": key.revoked_at,
    }


def _render_keys(keys: "tuple[ApiKey, ...]") -> Table:
    rows = [
        (
            Text(key.key_id, "bold"),
            key.name or "-",
            key.role,
            ", ".join(key.tenants),
            Text(_state(key), "green" if key.counts(datetime.now(UTC)) else "dim"),
            f"{key.created_at:%Y-%m-%d}",
            f"{key.expires_at:%Y-%m-%d}" if key.expires_at else "-",
        )
        for key in keys
    ]
    return make_table(rows, header=("id", "name", "role", "tenants", "state", "created", "expires"))


def _state(key: "ApiKey") -> str:
    if key.revoked_at is not None:
        return "revoked"
    return "valid" if key.counts(datetime.now(UTC)) else "expired"
