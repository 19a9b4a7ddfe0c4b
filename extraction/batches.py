"""Resolved files as batches of documents to write, each the work of one transaction."""

import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from extraction.code.results import ResolvedFile
from extraction.inputs import CHANGED_MEANWHILE, Input
from extraction.report import FileOutcome
from extraction.source import SourceFailed, SourceSkipped, read_text
from graph.evidence import EvidenceMismatch, check_evidence
from graph.model import Document, DocumentId, ExtractionResult, Modality
from graph.rows import StoredDocument
from graph.store import DocumentState

ROWS_PER_BATCH: Final = 10_000
"""Rows of one transaction: large enough for full speed, small enough to stop soon."""


@dataclass(slots=True)
class Batch:
    """Documents to write together. `files` were looked at for it, `unchanged` of them say what they said before.

    `stated` has every document that is stored once the batch is written, with its numbers of edges and mentions.
    """

    documents: list[StoredDocument] = field(default_factory=list[StoredDocument])
    failed: list[FileOutcome] = field(default_factory=list[FileOutcome])
    stated: list[tuple[ResolvedFile, int, int]] = field(default_factory=list[tuple[ResolvedFile, int, int]])
    files: int = 0
    unchanged: int = 0
    rows: int = 0
    last: bool = False


class Batcher:
    """Cuts the stream of resolved files into batches, leaving out what is stored already.

    `resolve_s` adds up the seconds that it takes to resolve, compare and build, with the reading of texts.
    """

    def __init__(
        self,
        resolved: Iterable[ResolvedFile],
        inputs: Mapping[str, Input],
        states: Mapping[DocumentId, DocumentState],
        folder_id: str,
    ) -> None:
        self._resolved: Iterator[ResolvedFile] = iter(resolved)
        self._inputs = inputs
        self._states = states
        self._folder_id = folder_id
        self.resolve_s = 0.0

    def next_batch(self) -> Batch:
        """The next batch; `last` when there is nothing after it. Blocking: meant for a thread."""
        began = time.monotonic()
        batch = Batch()
        while batch.rows < ROWS_PER_BATCH:
            resolved = next(self._resolved, None)
            if resolved is None:
                batch.last = True
                break
            self._add(batch, resolved)
        self.resolve_s += time.monotonic() - began
        return batch

    def _add(self, batch: Batch, resolved: ResolvedFile) -> None:
        given = self._inputs[resolved.path]
        state = self._states.get(DocumentId(resolved.path))
        batch.files += 1
        if state is not None and is_current(state, given.content_hash, resolved.fingerprint):
            batch.unchanged += 1
            batch.stated.append((resolved, state.edges, state.mentions))
            return
        result = _build(resolved, given)
        if isinstance(result, str):
            batch.failed.append(FileOutcome(resolved.path, result))
            return
        batch.stated.append((resolved, len(result.edges), len(result.mentions)))
        stored = StoredDocument(result, resolved.fingerprint, self._folder_id)
        batch.documents.append(stored)
        batch.rows += stored.size


def document_without_facts(given: Input, folder_id: str) -> StoredDocument:
    """A file that was skipped or failed: a document that says so and nothing else."""
    return StoredDocument(ExtractionResult(_document(given)), f"{given.status} {given.reason}", folder_id)


def _document(given: Input) -> Document:
    return Document(
        document_id=DocumentId(given.path),
        path=given.path,
        content_hash=given.content_hash,
        status=given.status,
        reason=given.reason,
        language=given.language,
        modality=Modality.TEXT if given.language is None else Modality.CODE,
    )


def is_stored(stored: StoredDocument, states: Mapping[DocumentId, DocumentState]) -> bool:
    """Whether the store has just this already."""
    document = stored.result.document
    return is_current(states.get(document.document_id), document.content_hash, stored.facts_hash)


def is_current(state: DocumentState | None, content_hash: str, facts_hash: str) -> bool:
    """Whether a document is stored as made from these bytes, with these facts."""
    return state is not None and (state.content_hash, state.facts_hash) == (content_hash, facts_hash)


def _build(resolved: ResolvedFile, given: Input) -> ExtractionResult | str:
    """The result of a file, or the reason why there is none."""
    try:
        source = read_text(given.absolute)
    except (SourceSkipped, SourceFailed):
        return CHANGED_MEANWHILE
    if source.content_hash != given.content_hash:
        return CHANGED_MEANWHILE
    result = resolved.result(_document(given), source.text)
    try:
        check_evidence(result)
    except EvidenceMismatch as exc:
        return str(exc)
    return result
