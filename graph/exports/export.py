"""A tenant's graph written to a file: in flat memory, whole or not at all, as it was at one moment."""

import asyncio
import gzip
import hashlib
import os
import uuid
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Final, Protocol, cast

from graph.answers import ExportFormat
from graph.database import Database
from graph.errors import Conflict, NotAvailable
from graph.exports.cypher import CypherWriter
from graph.exports.graphml import GraphmlWriter
from graph.exports.lines import JsonWriter
from graph.exports.records import Record, Section, hash_records, stream_records
from graph.fingerprint import GraphHash
from graph.version import get_graph_version

_ATTEMPTS: Final = 4
_GZIP_LEVEL: Final = 4
"""A third larger than the best at a quarter of its time."""


class Writer(Protocol):
    """A file format. Called from one thread at a time: `begin`, `write` for each batch of records, `end`."""

    def begin(self) -> None:
        """Write what comes first."""
        ...

    def write(self, section: Section, records: Sequence[Record]) -> None:
        """Write records of one section; sections come in order."""
        ...

    def end(self, graph_hash: str) -> None:
        """Write what comes last."""
        ...


_WRITERS: Final[dict[ExportFormat, Callable[[BinaryIO], Writer]]] = {
    ExportFormat.CYPHER: CypherWriter,
    ExportFormat.GRAPHML: GraphmlWriter,
    ExportFormat.JSON: JsonWriter,
}


@dataclass(frozen=True, slots=True)
class ExportSummary:
    """What an export holds: `records` in all, `bytes` on the disk; `hash` is that of the graph as it was read."""

    hash: str
    documents: int
    nodes: int
    edges: int
    mentions: int
    records: int
    bytes: int


@dataclass(frozen=True, slots=True)
class _Written:
    summary: ExportSummary
    digest: str


async def write_export(
    database: Database, wanted: ExportFormat, file: Path, on_progress: Callable[[int], None] = lambda _: None
) -> ExportSummary:
    """Write the whole graph to `file`, in place of what is there; the folder exists.

    The file appears when it is complete, readable by its owner alone, and is compressed where its name ends in `.gz`.
    `on_progress` gets the number of records so far; it starts again when the graph changed while it was read. Raises
    Conflict when it kept changing, NotAvailable when the file can't be written.
    """
    partial = file.with_name(f".{uuid.uuid4().hex}.part{file.suffix}")
    try:
        written = await _write_consistently(database, wanted, partial, on_progress)
        await asyncio.to_thread(partial.replace, file)
    except OSError as exc:
        raise NotAvailable(f"The export can't be written to {file}: {exc.strerror or exc}.") from exc
    finally:
        with suppress(OSError):
            partial.unlink(missing_ok=True)
    return written.summary


def is_compressed(file: Path) -> bool:
    """Tell by its name whether a file is or is to be compressed."""
    return file.suffix.lower() == ".gz"


async def _write_consistently(
    database: Database, wanted: ExportFormat, partial: Path, on_progress: Callable[[int], None]
) -> _Written:
    # A transaction of Neo4j sees what others commit meanwhile. What was read is of one moment when nothing was written
    # in between, or when two readings in a row are the same: then the writes were not of the graph.
    # Source of the second: Afek et al., "Atomic Snapshots of Shared Memory", 1993 (the double collect).
    last: _Written | None = None
    for _ in range(_ATTEMPTS):
        before = await get_graph_version(database)
        written = await _write_once(database, wanted, partial, on_progress)
        if written == last or await get_graph_version(database) == before:
            return written
        last = written
    raise Conflict(f"The graph changed during each of {_ATTEMPTS} attempts to export it: try again when it is at rest.")


async def _write_once(
    database: Database, wanted: ExportFormat, partial: Path, on_progress: Callable[[int], None]
) -> _Written:
    file = await asyncio.to_thread(_HashedFile, partial)
    try:
        export = await asyncio.to_thread(_Export, _WRITERS[wanted], file, compressed=is_compressed(partial))
        async for section, records in stream_records(database):
            await asyncio.to_thread(export.write, section, records)
            on_progress(export.counts.total())
        graph_hash = await asyncio.to_thread(export.end)
    finally:
        file.close()
    summary = ExportSummary(
        hash=graph_hash,
        documents=export.counts[Section.DOCUMENT],
        nodes=export.counts[Section.NODE],
        edges=export.counts[Section.EDGE],
        mentions=export.counts[Section.MENTION],
        records=export.counts.total(),
        bytes=file.size,
    )
    return _Written(summary, file.digest)


class _Export:
    """Records on their way into a file: written, counted, and hashed as the graph that they are."""

    def __init__(self, make_writer: Callable[[BinaryIO], Writer], file: "_HashedFile", *, compressed: bool) -> None:
        self.counts: Counter[Section] = Counter()
        self._hash = GraphHash()
        self._file = file
        plain = cast("BinaryIO", file)
        # Without a name or a time in it the same graph is the same bytes.
        self._packed = gzip.GzipFile("", "wb", _GZIP_LEVEL, plain, mtime=0) if compressed else None
        self._writer = make_writer(cast("BinaryIO", self._packed or plain))
        self._writer.begin()

    def write(self, section: Section, records: Sequence[Record]) -> None:
        self._writer.write(section, records)
        hash_records(self._hash, section, records)
        self.counts[section] += len(records)

    def end(self) -> str:
        """Bring all to the disk and return the graph's hash."""
        graph_hash = self._hash.hexdigest()
        self._writer.end(graph_hash)
        if self._packed is not None:
            self._packed.close()
        self._file.flush()
        return graph_hash


class _HashedFile:
    """A new file for its owner alone that knows the size and hash of what was written to it."""

    def __init__(self, path: Path) -> None:
        self._file = os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb", buffering=1 << 20)
        self._hash = hashlib.sha256()
        self.size = 0

    @property
    def digest(self) -> str:
        """The hex sha256 of what was written."""
        return self._hash.hexdigest()

    def write(self, data: bytes) -> int:
        self._hash.update(data)
        self.size += len(data)
        return self._file.write(data)

    def flush(self) -> None:
        """Bring everything to the disk."""
        self._file.flush()
        os.fsync(self._file.fileno())

    def close(self) -> None:
        self._file.close()
