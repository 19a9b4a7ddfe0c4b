"""The secret that signs cursors and links."""

import hashlib
import secrets
from pathlib import Path
from typing import Final

from filelock import FileLock

from api.config import Settings
from graph.embedded.folder import write_private
from graph.errors import InvalidInput, NotAvailable

_MIN_LENGTH: Final = 16
_BYTES: Final = 32
_LOCK_WAIT_S: Final = 30


def load_signing_key(settings: Settings) -> bytes:
    """Return 32 bytes: of the setting, else of a file in the data folder, which the first caller makes.

    Raises InvalidInput for a setting that can be guessed, NotAvailable when the file can't be read or made.
    """
    if settings.secret is not None:
        text = settings.secret.get_secret_value()
        if len(text) < _MIN_LENGTH:
            raise InvalidInput(f"COGNIVERSE_SECRET has {len(text)} characters: take {_MIN_LENGTH} random ones or more.")
        return hashlib.sha256(text.encode()).digest()
    file = settings.data_dir / "secret"
    try:
        return _read_or_make(file)
    except OSError as exc:
        raise NotAvailable(
            f"The signing secret in {file} can't be had ({exc.strerror}): set COGNIVERSE_SECRET."
        ) from exc


def _read_or_make(file: Path) -> bytes:
    found = _read(file)
    if found is not None:
        return found
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with FileLock(file.with_suffix(".lock"), timeout=_LOCK_WAIT_S, mode=0o600):
        found = _read(file)
        if found is None:
            found = secrets.token_bytes(_BYTES)
            write_private(file, found.hex().encode())
        return found


def _read(file: Path) -> bytes | None:
    try:
        found = bytes.fromhex(file.read_text("ascii").strip())
    except FileNotFoundError:
        return None
    except ValueError:
        found = b""
    if len(found) != _BYTES:
        raise NotAvailable(f"{file} holds no signing secret: remove it for a new one; old cursors and links end then.")
    return found
