"""A folder's documents: read in worker processes, extracted a group at a time, each written whole.

While one group is with the models the next one is being read, and no more than that is held in memory.
"""

import asyncio
import hashlib
import threading
from collections.abc import AsyncGenerator, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from extraction.batches import is_current, is_stored
from extraction.documents.extraction import (
    DocumentModels,
    Extracted,
    ExtractionCancelled,
    ReadDocument,
    extract_documents,
)
from extraction.documents.reading import ReadLimits, read_document
from extraction.inputs import CHANGED_MEANWHILE, Input
from extraction.report import Dropped
from extraction.source import SourceFailed, SourceSkipped, describe_trouble
from graph.database import Database
from graph.errors import UnsupportedFormat
from graph.model import Document, DocumentId, DocumentStatus, ExtractionResult, Modality
from graph.rows import StoredDocument
from graph.store import DocumentState, upsert_fitting

_FILES_PER_GROUP: Final = 16
_BYTES_PER_GROUP: Final = 1_000_000


@dataclass(frozen=True, slots=True)
class DocumentOutcome:
    """How a document ended, with the counts of what it states; `unchanged` where nothing had to be written."""

    path: str
    status: DocumentStatus
    reason: str | None = None
    edges: int = 0
    mentions: int = 0
    unchanged: bool = False
    dropped: tuple[Dropped, ...] = ()


@dataclass(slots=True)
class _Group:
    """Documents that go through the models together, and those of them that could not be read."""

    read: list[ReadDocument] = field(default_factory=list[ReadDocument])
    unread: list[Document] = field(default_factory=list[Document])


class FolderDocuments:
    """The documents of one folder, brought into a tenant's graph."""

    def __init__(
        self,
        database: Database,
        models: DocumentModels,
        *,
        folder_id: str,
        states: Mapping[DocumentId, DocumentState],
        cancel: threading.Event,
    ) -> None:
        self._database = database
        self._models = models
        self._folder_id = folder_id
        self._states = states
        self._cancel = cancel

    async def run(self, inputs: Sequence[Input]) -> AsyncGenerator[list[DocumentOutcome]]:
        """Bring in documents and yield how they ended, group by group; what is unchanged first. Stops on `cancel`."""
        fingerprint = self._models.fingerprint
        unchanged = [given for given in inputs if self._is_current(given, fingerprint)]
        yield [self._unchanged(given) for given in unchanged]
        known = {given.path for given in unchanged}
        groups = _groups([given for given in inputs if given.path not in known])
        coming = self._start_reading(groups)
        try:
            while coming is not None:
                group = await coming
                coming = self._start_reading(groups)
                if self._cancel.is_set():
                    return
                yield await self._take_in(group)
        except ExtractionCancelled:
            return
        finally:
            if coming is not None:
                coming.cancel()
                await asyncio.gather(coming, return_exceptions=True)

    def _start_reading(self, groups: Iterator[list[Input]]) -> "asyncio.Task[_Group] | None":
        group = next(groups, None)
        return None if group is None else asyncio.create_task(self._read(group))

    async def _read(self, inputs: Sequence[Input]) -> _Group:
        group = _Group()
        for given in inputs:
            if self._cancel.is_set():
                break
            read = await asyncio.to_thread(_read, given, self._models.limits, self._cancel)
            if isinstance(read, ReadDocument):
                group.read.append(read)
            else:
                group.unread.append(read)
        return group

    async def _take_in(self, group: _Group) -> list[DocumentOutcome]:
        extracted = await extract_documents(group.read, self._models, cancel=self._cancel)
        documents = [one.stored(self._folder_id) for one in extracted]
        unread = [_without_text(document, self._folder_id) for document in group.unread]
        documents += [stored for stored in unread if not is_stored(stored, self._states)]
        if documents:
            await upsert_fitting(self._database, documents)
        outcomes = [_outcome(one) for one in extracted]
        outcomes += [DocumentOutcome(one.path, one.status, one.reason) for one in group.unread]
        return outcomes

    def _is_current(self, given: Input, fingerprint: str) -> bool:
        return is_current(self._states.get(DocumentId(given.path)), given.content_hash, fingerprint)

    def _unchanged(self, given: Input) -> DocumentOutcome:
        state = self._states[DocumentId(given.path)]
        return DocumentOutcome(
            given.path, DocumentStatus.DONE, edges=state.edges, mentions=state.mentions, unchanged=True
        )


def _groups(inputs: Sequence[Input]) -> Iterator[list[Input]]:
    group: list[Input] = []
    size = 0
    for given in inputs:
        group.append(given)
        size += given.size
        if size >= _BYTES_PER_GROUP or len(group) >= _FILES_PER_GROUP:
            yield group
            group, size = [], 0
    if group:
        yield group


def _read(given: Input, limits: ReadLimits, cancel: threading.Event) -> ReadDocument | Document:
    """The document with its text, or as one that was skipped or failed."""
    document = Document(DocumentId(given.path), given.path, given.content_hash, Modality.TEXT)
    try:
        data = given.absolute.read_bytes()
        if hashlib.sha256(data).hexdigest() != given.content_hash:
            return replace(document, status=DocumentStatus.FAILED, reason=CHANGED_MEANWHILE)
        return ReadDocument(document, read_document(Path(given.path).name, data, limits=limits, cancel=cancel))
    except (SourceSkipped, UnsupportedFormat) as exc:
        return replace(document, status=DocumentStatus.SKIPPED, reason=str(exc))
    except SourceFailed as exc:
        return replace(document, status=DocumentStatus.FAILED, reason=str(exc))
    except OSError as exc:
        return replace(document, status=DocumentStatus.FAILED, reason=describe_trouble(exc))


def _without_text(document: Document, folder_id: str) -> StoredDocument:
    return StoredDocument(ExtractionResult(document), f"{document.status} {document.reason}", folder_id)


def _outcome(extracted: Extracted) -> DocumentOutcome:
    result = extracted.result
    return DocumentOutcome(
        path=result.document.path,
        status=result.document.status,
        reason=result.document.reason,
        edges=len(result.edges),
        mentions=len(result.mentions),
        dropped=extracted.dropped,
    )
