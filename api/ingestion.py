"""Files and folders into a graph, at once or as jobs: what GraphQL and REST share."""

import asyncio
import os
import shutil
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import BinaryIO, Final

from api.context import RequestContext
from api.embedding import embed_new
from api.graphql.errors import InvalidField
from api.graphql.scope import TenantScope
from api.jobs import FileWork, FolderWork
from api.roots import resolve_under_roots
from extraction.documents.segments import SEGMENT_CHARS
from extraction.registry import find_language
from extraction.settling import settle_files
from extraction.single import FileInput, FileReport, ingest_file
from graph.errors import TooLarge
from graph.jobs import JobView
from graph.retraction import Retracted, delete_document
from graph.tenants import directory_name

# Seconds that a segment may take on a machine without a GPU, and a part of a request's time that is left for it.
_ENTITIES_S: Final = 1.0
_CLAIMS_S: Final = 5.0
_PATIENCE: Final = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class Given:
    """One file as a caller gives it: exactly one of `file`, `text` and `path`."""

    tenant: str
    content_type: str = "auto"
    file: BinaryIO | None = None
    text: str | None = None
    path: str | None = None
    name: str | None = None
    source_doc_id: str | None = None


async def ingest(context: RequestContext, given: Given) -> tuple[TenantScope, FileReport | JobView]:
    """Ingest a file, a large one as a job. Raises InvalidInput, UnsupportedFormat, TooLarge, Conflict, LimitExceeded.

    Nothing is read of a file before its tenant and its place are settled.
    """
    if sum(part is not None for part in (given.file, given.text, given.path)) != 1:
        raise InvalidField("file", "Give exactly one of `file`, `text` and `path`.")
    scope = await context.get_writable(given.tenant, create=True)
    if given.path is not None:
        return scope, await _ingest_path(scope, given, given.path)
    if not given.name:
        raise InvalidField("name", "Give a `name` with an ending that tells what the text is, such as notes.md.")
    if given.text is not None:
        data = given.text.encode("utf-8", "replace")
        if await _takes_long(scope, given, given.name, len(data)):
            return scope, await _spool(scope, given, given.name, data)
        return scope, await _ingest_bytes(scope, given, given.name, data)
    file = given.file
    assert file is not None  # noqa: S101 - one of the three is given
    size = await asyncio.to_thread(_measure, file)
    settings = scope.services.settings
    if size > settings.max_upload_bytes:
        raise TooLarge(f"{given.name} has {size:,} bytes; {settings.max_upload_bytes:,} is the most.")
    if await _takes_long(scope, given, given.name, size):
        return scope, await _spool(scope, given, given.name, file)
    return scope, await _ingest_bytes(scope, given, given.name, await asyncio.to_thread(file.read))


async def ingest_folder(
    context: RequestContext,
    *,
    tenant: str,
    path: str,
    content_type: str,
    include: Sequence[str],
    exclude: Sequence[str],
    prune: bool,
) -> tuple[TenantScope, JobView]:
    """Start a job for a folder under an allowed root. Raises InvalidInput, LimitExceeded."""
    scope = await context.get_writable(tenant, create=True)
    folder = await _resolve(scope, path)
    if not folder.is_dir():
        raise InvalidField("path", f"{path!r} is a file: use ingestFile, or give the folder that holds it.")
    work = FolderWork(
        path=str(folder), content_type=content_type, include=tuple(include), exclude=tuple(exclude), prune=prune
    )
    return scope, await scope.services.jobs.submit(scope.tenant, work)


async def delete(scope: TenantScope, document_id: str) -> Retracted:
    """Take a document back, and mend what other single files say of it. Raises NotFound."""
    gone = await scope.ask(delete_document, document_id)
    await scope.ask(settle_files, cache_dir=_facts_dir(scope))
    return gone


async def _ingest_path(scope: TenantScope, given: Given, path: str) -> FileReport | JobView:
    file = await _resolve(scope, path)
    if not file.is_file():
        raise InvalidField("path", f"{path!r} is no file: use ingestFolder for a folder.")
    settings = scope.services.settings
    name = given.name or _name_below(file, settings.allowed_roots)
    size = file.stat().st_size
    if await _takes_long(scope, given, name, size):
        work = FileWork(file=str(file), name=name, content_type=given.content_type, source_doc_id=given.source_doc_id)
        return await scope.services.jobs.submit(scope.tenant, work)
    return await _ingest_bytes(scope, given, name, await asyncio.to_thread(file.read_bytes))


async def _takes_long(scope: TenantScope, given: Given, name: str, size: int) -> bool:
    """Whether a file is one for a job: a large one, or one that models would read for longer than a request lasts."""
    settings = scope.services.settings
    if size >= settings.large_file_bytes:
        return True
    if given.content_type != "docs" and find_language(name) is not None:
        return False
    models = await asyncio.to_thread(scope.services.models.get_document_models, scope.tenant)
    each_s = 0.0 if models.entities is None else _ENTITIES_S
    each_s += 0.0 if models.claims is None else _CLAIMS_S / settings.claims_concurrency
    return each_s * size / SEGMENT_CHARS > settings.query_timeout_s * _PATIENCE


async def _ingest_bytes(scope: TenantScope, given: Given, name: str, data: bytes) -> FileReport:
    models = scope.services.models
    report = await scope.ask(
        ingest_file,
        FileInput(name=name, data=data, content_type=given.content_type, source_doc_id=given.source_doc_id),
        cache_dir=_facts_dir(scope),
        models=await asyncio.to_thread(models.get_document_models, scope.tenant),
    )
    degraded = () if report.unchanged else await scope.ask(embed_new, models)
    return replace(report, degraded=(*report.degraded, *degraded))


def _facts_dir(scope: TenantScope) -> Path:
    return scope.services.settings.cache_dir / "facts" / directory_name(scope.tenant)


async def _spool(scope: TenantScope, given: Given, name: str, content: BinaryIO | bytes) -> JobView:
    jobs = scope.services.jobs
    file = await asyncio.to_thread(_write_spool, jobs.get_spool_dir(scope.tenant), content)
    return await jobs.submit_upload(
        scope.tenant, file, name=name, content_type=given.content_type, source_doc_id=given.source_doc_id
    )


def _write_spool(folder: Path, content: BinaryIO | bytes) -> Path:
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    descriptor, name = tempfile.mkstemp(dir=folder)
    with os.fdopen(descriptor, "wb") as file:
        if isinstance(content, bytes):
            file.write(content)
        else:
            shutil.copyfileobj(content, file)
    return Path(name)


async def _resolve(scope: TenantScope, path: str) -> Path:
    return await asyncio.to_thread(resolve_under_roots, path, scope.services.settings.allowed_roots)


def _name_below(file: Path, roots: Sequence[Path]) -> str:
    tops = (root.expanduser().resolve() for root in roots)
    return next((file.relative_to(top).as_posix() for top in tops if file.is_relative_to(top)), file.name)


def _measure(file: BinaryIO) -> int:
    size = file.seek(0, os.SEEK_END)
    file.seek(0)
    return size
