"""Facts of files that were parsed before, by content: an edit costs the parsing of one file, not of all.

A cache holds nothing that can't be made again; when it is broken or locked it is done without.
"""

import sqlite3
import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Final, Self

_SCHEMA: Final = "CREATE TABLE IF NOT EXISTS facts (key TEXT PRIMARY KEY, body BLOB NOT NULL, used_at INTEGER NOT NULL)"
_KEPT_S: Final = 30 * 24 * 3600
_KEYS_PER_QUERY: Final = 500


class FactsCache:
    """A SQLite file of encoded facts by key. `path` None gives a cache that is always empty."""

    def __init__(self, path: Path | None) -> None:
        self._connection = _open(path) if path else None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def fetch(self, keys: Sequence[str]) -> dict[str, bytes]:
        """The bodies of those keys that are there."""
        found: dict[str, bytes] = {}
        for start in range(0, len(keys), _KEYS_PER_QUERY):
            chunk = keys[start : start + _KEYS_PER_QUERY]
            marks = ",".join("?" * len(chunk))
            found.update(self._query(f"SELECT key, body FROM facts WHERE key IN ({marks})", chunk))  # noqa: S608 - marks only
        return found

    def store(self, bodies: Mapping[str, bytes]) -> None:
        """Keep bodies by key."""
        now = int(time.time())
        self._write("INSERT OR REPLACE INTO facts VALUES (?, ?, ?)", [(key, body, now) for key, body in bodies.items()])

    def touch(self, keys: Iterable[str]) -> None:
        """Note that keys are in use, and forget what nobody has used for a month."""
        now = int(time.time())
        self._write("UPDATE facts SET used_at = ? WHERE key = ?", [(now, key) for key in keys])
        self._write("DELETE FROM facts WHERE used_at < ?", [(now - _KEPT_S,)])

    def _query(self, text: str, params: Sequence[str]) -> list[tuple[str, bytes]]:
        if self._connection is None:
            return []
        try:
            return self._connection.execute(text, params).fetchall()
        except sqlite3.Error:
            return []

    def _write(self, text: str, rows: Sequence[tuple[object, ...]]) -> None:
        if self._connection is None:
            return
        try:
            with self._connection:
                self._connection.executemany(text, rows)
        except sqlite3.Error:
            return


def _open(path: Path) -> sqlite3.Connection | None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        try:
            return _connect(path)
        except sqlite3.DatabaseError:
            path.unlink(missing_ok=True)
            return _connect(path)
    except (OSError, sqlite3.Error):
        return None


def _connect(path: Path) -> sqlite3.Connection:
    # The index runs in one task at a time, but its steps may be taken by different threads.
    connection = sqlite3.connect(path, timeout=5.0, check_same_thread=False)
    try:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = OFF")
        connection.execute(_SCHEMA)
    except sqlite3.Error:
        connection.close()
        raise
    return connection
