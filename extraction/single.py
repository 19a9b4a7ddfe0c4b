"""One file by itself into a tenant's graph: an upload, a text, or a file on the server."""

import asyncio
import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from extraction.documents.extraction import (
    DocumentModels,
    ExtractionCancelled,
    ReadDocument,
    degradations,
    extract_documents,
)
from extraction.documents.text import DocumentText
from extraction.given import CONTENT_TYPES, FileInput, GivenText, read_given
from extraction.report import Dropped, IndexProgress, Stage, rank_drops
from extraction.settling import IngestCancelled, Settled, is_stored, settle_files
from graph.answers import Degradation
from graph.database import Database
from graph.errors import Conflict
from graph.files import find_file
from graph.folders import ASSERTED_FOLDER, FILES_FOLDER, fetch_folders, fetch_foreign_documents
from graph.model import Document, DocumentId, DocumentStatus, ExtractionResult, Modality
from graph.rows import StoredDocument
from graph.store import upsert_documents

__all__ = [
    "CONTENT_TYPES",
    "Dropped",
    "FileInput",
    "FileReport",
    "IngestCancelled",
    "ingest_file",
    "settle_files",
]

_SYNTAX = "The file has syntax errors: what stands around them may be missing."


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
    models: DocumentModels | None = None,
    cancel: threading.Event | None = None,
    on_progress: Callable[[IndexProgress], None] = lambda _: None,
) -> FileReport:
    """Put one file into the graph, in place of what was known under its document id, and tell what was done.

    Code is resolved together with the tenant's other single files, so that the graph is the same whatever the order
    in which they came; documents become segments, and what `models` find in them. `cache_dir` keeps facts between
    calls: give the same one each time. Raises InvalidInput, UnsupportedFormat or TooLarge for what can't be taken,
    Conflict for an id or a path that belongs to an indexed folder or to another document, and IngestCancelled;
    nothing is written then.
    """
    began = time.monotonic()
    models, cancel = models or DocumentModels(), cancel or threading.Event()
    on_progress(IndexProgress(Stage.EXTRACT, 0, 1))
    try:
        text = await asyncio.to_thread(read_given, given, limits=models.limits, cancel=cancel)
        await _refuse_foreign(database, text)
        if text.language is None:
            settled = await _settle_text(database, text, models, cache_dir=cache_dir, cancel=cancel)
        else:
            settled = await settle_files(database, cache_dir=cache_dir, given=text, cancel=cancel)
    except ExtractionCancelled as exc:
        raise IngestCancelled(f"The ingestion of {given.name} was cancelled before anything was written.") from exc
    assert settled is not None  # noqa: S101 - one was given
    on_progress(IndexProgress(Stage.WRITE, 1, 1))
    return _report(text, settled, models, time.monotonic() - began)


async def _settle_text(
    database: Database, given: GivenText, models: DocumentModels, *, cache_dir: Path | None, cancel: threading.Event
) -> Settled | None:
    document = Document(given.document_id, given.path, given.content_hash, Modality.TEXT)
    row = await find_file(database, given.document_id)
    if row is not None and is_stored(row, StoredDocument(ExtractionResult(document), models.fingerprint, FILES_FOLDER)):
        return Settled(ExtractionResult(document), stored=row)
    read = ReadDocument(document, DocumentText(given.text, given.marks))
    [extracted] = await extract_documents([read], models, cancel=cancel)
    if row is not None and row.language is not None:
        # It was code until now, and others may have called what it had.
        return await settle_files(database, cache_dir=cache_dir, given=given, extracted=extracted, cancel=cancel)
    stored = extracted.stored(FILES_FOLDER)
    if row is not None and is_stored(row, stored):
        return Settled(stored.result, stored=row, extracted=extracted)
    await upsert_documents(database, [stored])
    return Settled(stored.result, extracted=extracted)


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


def _report(given: GivenText, settled: Settled, models: DocumentModels, elapsed_s: float) -> FileReport:
    result, extracted = settled.result, settled.extracted
    # Of a document that was not looked into again only the store knows what it states.
    row = settled.stored if given.language is None else None
    return FileReport(
        document_id=given.document_id,
        status=result.document.status,
        reason=result.document.reason,
        nodes=result.node_count if row is None else row.nodes,
        edges=len(result.edges) if row is None else row.edges,
        mentions=len(result.mentions) if row is None else row.mentions,
        segments=len(result.segments) if row is None else row.segments,
        unchanged=settled.stored is not None,
        degraded=_degraded(given, settled, models),
        dropped=extracted.dropped if extracted is not None else _dropped(settled),
        elapsed_s=elapsed_s,
    )


def _degraded(given: GivenText, settled: Settled, models: DocumentModels) -> tuple[Degradation, ...]:
    if given.language is None:
        return settled.extracted.degraded if settled.extracted is not None else degradations(models)
    if (reason := settled.result.document.reason) is not None:
        return (Degradation("facts", reason),)
    if settled.resolved is not None and settled.resolved.facts.has_errors:
        return (Degradation("syntax", _SYNTAX),)
    return ()


def _dropped(settled: Settled) -> tuple[Dropped, ...]:
    uses = settled.resolved.unresolved if settled.resolved is not None else []
    return rank_drops(Counter((use.relation, use.reason) for use in uses))
