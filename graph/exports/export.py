"""A tenant's graph written to a file: in flat memory, whole or not at all, as it was at one moment."""

import asyncio
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
from graph.exports.records import Record, Section, stream_records
from graph.fingerprint import get_graph_hash
from graph.version import get_graph_version

_ATTEMPTS: Final = 4


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
    """What an export holds. `hash` is that of `get_graph_hash` on the graph that was read."""

    hash: str
    documents: int
    nodes: int
    edges: int
    mentions: int
    bytes: int


@dataclass(frozen=True, slots=True)
class _Written:
    summary: ExportSummary
    digest: str


async def write_export(
    database: Database, wanted: ExportFormat, file: Path, on_progress: Callable[[int], None] = lambda _: None
) -> ExportSummary:
    """Write the whole graph to `file`, in place of what is there; the folder exists.

    The file appears when it is complete, readable by its owner alone. `on_progress` gets the number of records so far;
    it starts again when the graph changed while it was read. Raises Conflict when it kept changing, NotAvailable when
    the file can't be written.
    """
    partial = file.with_name(f".{uuid.uuid4().hex}.part")
    try:
        written = await _write_consistently(database, wanted, partial, on_progress)
        await asyncio.to_thread(partial.replace, file)
    except OSError as exc:
        raise NotAvailable(f"The export can't be written to {file}: {exc.strerror or exc}.") from exc
    finally:
        with suppress(OSError):
            partial.unlink(missing_ok=True)
    return written.summary


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
    counts: Counter[Section] = Counter()
    file = await asyncio.to_thread(_HashedFile, partial)
    try:
        writer = await asyncio.to_thread(_WRITERS[wanted], cast("BinaryIO", file))
        await asyncio.to_thread(writer.begin)
        async for section, records in stream_records(database):
            await asyncio.to_thread(writer.write, section, records)
            counts[section] += len(records)
            on_progress(counts.total())
        graph_hash = await get_graph_hash(database)
        await asyncio.to_thread(writer.end, graph_hash)
        await asyncio.to_thread(file.flush)
    finally:
        file.close()
    summary = ExportSummary(
        hash=graph_hash,
        documents=counts[Section.DOCUMENT],
        nodes=counts[Section.NODE],
        edges=counts[Section.EDGE],
        mentions=counts[Section.MENTION],
        bytes=file.size,
    )
    return _Written(summary, file.digest)


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
