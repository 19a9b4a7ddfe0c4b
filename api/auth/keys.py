"""API keys: shown once, kept as hashes in one small file of the data folder.

A key has 256 random bits, so a plain hash guards it as well as a slow one would.
"""

import hashlib
import secrets
import threading
from collections.abc import Iterable
from datetime import UTC, datetime
from hmac import compare_digest
from pathlib import Path
from typing import Final

import msgspec
from filelock import FileLock

from api.auth.principal import Role, parse_tenants
from graph.embedded.folder import write_private
from graph.errors import InvalidInput, NotAvailable, NotFound

KEY_PREFIX: Final = "cgk_"
_SECRET_BYTES: Final = 32
_ID_BYTES: Final = 6
_LOCK_WAIT_S: Final = 30
_MAX_NAME: Final = 200
_NO_HASH: Final = "0" * 64


class ApiKey(msgspec.Struct, frozen=True, kw_only=True):
    """A key as it is kept. Times are in UTC; None for never. `sha256` is the hex hash of the whole key."""

    key_id: str
    name: str
    role: Role
    tenants: tuple[str, ...]
    sha256: str
    created_at: datetime
    expires_at: datetime | None = None
    revoked_at: datetime | None = None

    def counts(self, now: datetime) -> bool:
        """Tell whether the key opens anything now."""
        return self.revoked_at is None and (self.expires_at is None or now < self.expires_at)


class KeyStore:
    """The keys of a data folder. Any number of processes may share it; it is read again when one has changed it."""

    def __init__(self, data_dir: Path) -> None:
        self._file = data_dir / "keys.json"
        self._lock = data_dir / "keys.lock"
        self._loading = threading.Lock()
        self._stamp: tuple[int, int, int] | None = None
        self._keys: dict[str, ApiKey] = {}

    def create(
        self, *, tenants: Iterable[str], role: Role, name: str = "", expires_at: datetime | None = None
    ) -> tuple[str, ApiKey]:
        """Make a key; return its text, which nothing can show again, and what is kept. Raises InvalidInput."""
        now = datetime.now(UTC)
        allowed = parse_tenants(tenants)
        if not allowed:
            raise InvalidInput("A key without tenants opens nothing: give names, org:name, org:* or *.")
        if len(name) > _MAX_NAME or not name.isprintable():
            raise InvalidInput(f"A key's name takes at most {_MAX_NAME} printable characters.")
        if expires_at is not None and expires_at <= now:
            raise InvalidInput(f"{expires_at.isoformat()} is past: a key must expire later than now.")
        key_id = secrets.token_hex(_ID_BYTES)
        text = f"{KEY_PREFIX}{key_id}_{secrets.token_urlsafe(_SECRET_BYTES)}"
        key = ApiKey(
            key_id=key_id,
            name=name,
            role=role,
            tenants=allowed,
            sha256=_hash(text),
            created_at=now,
            expires_at=expires_at,
        )
        self._change(key)
        return text, key

    def revoke(self, key_id: str) -> ApiKey:
        """End a key for good; a second time changes nothing. Raises NotFound."""
        with self._exclusive():
            key = self._current().get(key_id)
            if key is None:
                raise NotFound(f"There is no key {key_id[:80]!r}: `cogniverse key list` shows all.")
            if key.revoked_at is None:
                key = msgspec.structs.replace(key, revoked_at=datetime.now(UTC))
                self._put(key)
            return key

    def list(self) -> tuple[ApiKey, ...]:
        """All keys, those that no longer count as well, oldest first, then by id."""
        return tuple(sorted(self._current().values(), key=lambda key: (key.created_at, key.key_id)))

    def any(self) -> bool:
        """Tell whether a key was ever made."""
        return bool(self._current())

    def find(self, text: str) -> ApiKey | None:
        """Return the key that a caller shows, None unless it counts. Takes as long for any text of a length."""
        key = self._current().get(text.removeprefix(KEY_PREFIX).partition("_")[0])
        is_same = compare_digest(_hash(text), key.sha256 if key else _NO_HASH)
        return key if key is not None and is_same and key.counts(datetime.now(UTC)) else None

    def _change(self, key: ApiKey) -> None:
        with self._exclusive():
            self._put(key)

    def _exclusive(self) -> FileLock:
        try:
            self._file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as exc:
            raise NotAvailable(f"The keys can't be kept in {self._file.parent}: {exc.strerror}.") from exc
        return FileLock(self._lock, timeout=_LOCK_WAIT_S, mode=0o600)

    def _put(self, key: ApiKey) -> None:
        keys = {**self._current(), key.key_id: key}
        try:
            write_private(self._file, msgspec.json.format(msgspec.json.encode(list(keys.values()))))
        except OSError as exc:
            raise NotAvailable(f"The keys can't be kept in {self._file}: {exc.strerror}.") from exc

    def _current(self) -> dict[str, ApiKey]:
        """Return the keys on disk. Fails closed: a file that can't be read opens nothing."""
        try:
            status = self._file.stat()
        except FileNotFoundError:
            return {}
        except OSError as exc:
            raise self._unreadable(exc) from exc
        stamp = (status.st_ino, status.st_mtime_ns, status.st_size)
        with self._loading:
            if stamp != self._stamp:
                try:
                    found = msgspec.json.decode(self._file.read_bytes(), type=list[ApiKey])
                except (OSError, msgspec.DecodeError) as exc:
                    raise self._unreadable(exc) from exc
                self._keys = {key.key_id: key for key in found}
                self._stamp = stamp
            return self._keys

    def _unreadable(self, exc: Exception) -> NotAvailable:
        return NotAvailable(f"The keys in {self._file} can't be read ({exc}): mend its permissions or restore it.")


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
