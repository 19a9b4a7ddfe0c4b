"""What a job does, told to its reporter."""

import asyncio
import threading
from dataclasses import dataclass
from pathlib import Path

from api.jobs.reporter import JobReporter
from api.jobs.work import FileWork, FolderWork, Work
from extraction.documents.extraction import DocumentModels
from extraction.given import FileInput
from extraction.inputs import MAX_DOCUMENT_BYTES
from extraction.pipeline import IndexOptions, index_folder
from extraction.settling import IngestCancelled
from extraction.single import ingest_file
from graph.database import Database
from graph.errors import CogniverseError, InvalidInput
from graph.model import DocumentStatus


@dataclass(frozen=True, slots=True)
class Performed:
    """How far it got. Without an error what is not `complete` was stopped; a `passing` error may not come again."""

    complete: bool
    error: str | None = None
    passing: bool = False


async def perform(
    database: Database,
    work: Work,
    *,
    models: DocumentModels,
    cache_dir: Path,
    workers: int,
    reporter: JobReporter,
    stop: threading.Event,
) -> Performed:
    """Do the work, until `stop` is set. Raises what the pipeline raises."""
    if isinstance(work, FolderWork):
        return await _index(
            database, work, models=models, cache_dir=cache_dir, workers=workers, reporter=reporter, stop=stop
        )
    return await _ingest(database, work, models=models, cache_dir=cache_dir, reporter=reporter, stop=stop)


async def _index(
    database: Database,
    work: FolderWork,
    *,
    models: DocumentModels,
    cache_dir: Path,
    workers: int,
    reporter: JobReporter,
    stop: threading.Event,
) -> Performed:
    await asyncio.to_thread(_check_place, Path(work.path))
    options = IndexOptions(
        content_type=work.content_type,
        workers=workers,
        prefix=work.prefix,
        prune=work.prune,
        include=work.include,
        exclude=work.exclude,
        cache_dir=cache_dir,
    )
    report = await index_folder(
        database,
        Path(work.path),
        options=options,
        models=models,
        on_progress=reporter.on_progress,
        on_total=reporter.on_total,
        on_file=reporter.on_file,
        cancel=stop,
    )
    return Performed(complete=not report.cancelled)


async def _ingest(
    database: Database,
    work: FileWork,
    *,
    models: DocumentModels,
    cache_dir: Path,
    reporter: JobReporter,
    stop: threading.Event,
) -> Performed:
    reporter.on_total(1)
    try:
        data = await asyncio.to_thread(_read, Path(work.file), spooled=work.spooled)
        given = FileInput(work.name, data, work.content_type, work.source_doc_id)
        report = await ingest_file(
            database, given, cache_dir=cache_dir, models=models, cancel=stop, on_progress=reporter.on_progress
        )
    except IngestCancelled:
        return Performed(complete=False)
    except CogniverseError as exc:
        reporter.on_file(work.name, DocumentStatus.FAILED, str(exc))
        raise
    reporter.on_file(work.name, report.status, report.reason)
    return Performed(complete=True)


def _check_place(path: Path) -> None:
    """Refuse a path that leads elsewhere than when it was found to be under an allowed root."""
    if path.resolve() != path:
        raise InvalidInput(f"{path.name} has become a link since the job was made: give the path again.")


def _read(file: Path, *, spooled: bool) -> bytes:
    if not spooled:
        _check_place(file)
    try:
        with file.open("rb") as opened:
            return opened.read(MAX_DOCUMENT_BYTES + 1)  # what is larger is refused, with no need to read it all
    except OSError as exc:
        raise InvalidInput(f"{file.name} is not there any longer: give it again.") from exc
