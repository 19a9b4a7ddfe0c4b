"""One file by itself into a tenant's graph: an upload, a text, or a file on the server."""

import asyncio
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from extraction.given import CONTENT_TYPES, FileInput, GivenText, read_given
from extraction.report import IndexProgress, Stage
from extraction.settling import IngestCancelled, Settled, settle_files
from graph.answers import Degradation
from graph.database import Database
from graph.errors import Conflict
from graph.folders import ASSERTED_FOLDER, FILES_FOLDER, fetch_folders, fetch_foreign_documents
from graph.model import DocumentId, DocumentStatus

__all__ = [
    "CONTENT_TYPES",
    "Dropped",
    "FileInput",
    "FileReport",
    "IngestCancelled",
    "ingest_file",
    "settle_files",
]

_NO_ENTITIES = "No entity extractor is set up: the text is stored and can be searched, but gives no nodes of its own."
_SYNTAX = "The file has syntax errors: what stands around them may be missing."


@dataclass(frozen=True, slots=True)
class Dropped:
    """What of a file did not become facts, and why: `count` uses by the relation that they would have been."""

    what: str
    reason: str
    count: int


@dataclass(frozen=True, slots=True)
class FileReport:
    """What became of a file: counts of what its document states, largest `dropped` first.

    With the status FAILED its text is stored, with the reason, but no facts; ingesting it again tries again.
    `unchanged` tells that nothing of it had to be written.
    """

    document_id: DocumentId
    status: DocumentStatus
    reason: str | None
    nodes: int
    edges: int
    mentions: int
    segments: int
    unchanged: bool
    degraded: tuple[Degradation, ...]
    dropped: tuple[Dropped, ...]
    elapsed_s: float


async def ingest_file(
    database: Database,
    given: FileInput,
    *,
    cache_dir: Path | None,
    cancel: threading.Event | None = None,
    on_progress: Callable[[IndexProgress], None] = lambda _: None,
) -> FileReport:
    """Put one file into the graph, in place of what was known under its document id, and tell what was done.

    Code is resolved together with the tenant's other single files, so that the graph is the same whatever the order in
    which they came; other text becomes segments. `cache_dir` keeps facts between calls: give the same one each time.
    Raises InvalidInput, UnsupportedFormat or TooLarge for what can't be taken, Conflict for an id or a path that
    belongs to an indexed folder or to another document, and IngestCancelled; nothing is written then.
    """
    began = time.monotonic()
    on_progress(IndexProgress(Stage.EXTRACT, 0, 1))
    text = await asyncio.to_thread(read_given, given)
    await _refuse_foreign(database, text)
    settled = await settle_files(database, cache_dir=cache_dir, given=text, cancel=cancel)
    assert settled is not None  # noqa: S101 - one was given
    on_progress(IndexProgress(Stage.WRITE, 1, 1))
    return _report(text, settled, time.monotonic() - began)


async def _refuse_foreign(database: Database, given: GivenText) -> None:
    wanted = [given.document_id, DocumentId(given.path)] if given.language is not None else [given.document_id]
    foreign = await fetch_foreign_documents(database, wanted, own=FILES_FOLDER)
    if not foreign:
        return
    folder_id = foreign[0].folder_id
    folders = {folder.folder_id: folder.path for folder in await fetch_folders(database)}
    owner = "facts that were stated by hand" if folder_id == ASSERTED_FOLDER else folders.get(folder_id, "a folder")
    raise Conflict(
        f"{foreign[0].document_id} is in this tenant already, from {owner}: give this file another name or document id,"
        " or index that folder again."
    )


def _report(given: GivenText, settled: Settled, elapsed_s: float) -> FileReport:
    result = settled.result
    return FileReport(
        document_id=given.document_id,
        status=result.document.status,
        reason=result.document.reason,
        nodes=sum(node.declared for node in result.nodes),
        edges=len(result.edges),
        mentions=len(result.mentions),
        segments=len(result.segments),
        unchanged=settled.stored is not None,
        degraded=tuple(_degraded(given, settled)),
        dropped=tuple(_dropped(settled)),
        elapsed_s=elapsed_s,
    )


def _degraded(given: GivenText, settled: Settled) -> Iterator[Degradation]:
    if given.language is None:
        yield Degradation("entities", _NO_ENTITIES)
    elif (reason := settled.result.document.reason) is not None:
        yield Degradation("facts", reason)
    elif settled.resolved is not None and settled.resolved.facts.has_errors:
        yield Degradation("syntax", _SYNTAX)


def _dropped(settled: Settled) -> list[Dropped]:
    uses = settled.resolved.unresolved if settled.resolved is not None else []
    counts = Counter((use.relation, use.reason) for use in uses)
    return [
        Dropped(what, reason, count)
        for (what, reason), count in sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    ]
