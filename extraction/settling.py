"""Files that were ingested one by one, kept as if they were one folder.

All code files of a tenant that came by themselves are resolved together, so that a call between two uploads is an edge
whichever came first. No lock is held over it: facts are derived from what is read, written only where a document is
still what was read, and looked at again until nothing differs. Whoever writes last so sees all, in any process.
"""

import asyncio
import random
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final
from weakref import WeakKeyDictionary

from extraction.cache import FactsCache
from extraction.code.facts import FileFacts, encode_facts, find_facts
from extraction.code.projects import ProjectConfig
from extraction.code.results import ResolvedFile
from extraction.documents.extraction import Extracted
from extraction.documents.segments import cut_text
from extraction.given import GivenText
from extraction.inputs import facts_key
from extraction.registry import LANGUAGES, get_language
from graph.database import Database
from graph.errors import CogniverseError, Conflict
from graph.evidence import EvidenceMismatch, check_evidence
from graph.files import StoredFile, fetch_files, fetch_texts
from graph.folders import FILES_FOLDER
from graph.model import Document, DocumentId, DocumentStatus, ExtractionResult
from graph.rows import StoredDocument
from graph.store import Superseded, upsert_documents

_PASSES: Final = 50
_ROWS_PER_TRANSACTION: Final = 50_000

# Only spares the work of meeting others of the same process: what is right does not hang on it.
_turns: WeakKeyDictionary[Database, asyncio.Lock] = WeakKeyDictionary()


class IngestCancelled(CogniverseError):
    """The ingestion of a file was stopped before anything of it was written."""


@dataclass(frozen=True, slots=True)
class Settled:
    """What became of the file that was given. `stored` is set where nothing of it had to be written."""

    result: ExtractionResult
    resolved: ResolvedFile | None = None
    stored: StoredFile | None = None
    extracted: Extracted | None = None


@dataclass(frozen=True, slots=True)
class _Source:
    """A code file that takes part. `text` is None for one that is stored already."""

    document_id: str
    path: str
    language: str
    content_hash: str
    text: str | None = None


@dataclass(slots=True)
class _Pass:
    """One look at all files: what is stored, what takes part, and what failed with its reason, by document id."""

    stored: Mapping[str, StoredFile]
    sources: dict[str, _Source]
    failed: dict[str, str] = field(default_factory=dict[str, str])


async def settle_files(
    database: Database,
    *,
    cache_dir: Path | None,
    given: GivenText | None = None,
    extracted: Extracted | None = None,
    cancel: threading.Event | None = None,
) -> Settled | None:
    """Bring the graph in line with all single files, `given` among them or in place of its earlier version.

    Without `given` it returns None and mends what the deletion of a file has left in others. A document comes with what
    was `extracted` from it. Raises Conflict where
    another document has the same path, or when others keep writing, and IngestCancelled when `cancel` was set before
    `given` was written.
    """
    async with _turns.setdefault(database, asyncio.Lock()):
        return await _Settling(database, cache_dir, given, extracted, cancel or threading.Event()).run()


class _Settling:
    def __init__(
        self,
        database: Database,
        cache_dir: Path | None,
        given: GivenText | None,
        extracted: Extracted | None,
        cancel: threading.Event,
    ) -> None:
        self._database = database
        self._cache_file = cache_dir / "facts.sqlite" if cache_dir else None
        self._pending = given
        self._extracted = extracted
        self._cancel = cancel
        self._broken: str | None = None
        self._outcome: Settled | None = None

    async def run(self) -> Settled | None:
        fingerprints: dict[tuple[str, str, str], str] = {}
        for _ in range(_PASSES):
            one = self._look(await fetch_files(self._database))
            if self._pending is None and _state(one) == fingerprints:
                return self._outcome
            try:
                resolved = await self._resolve(one)
                await self._write(one, resolved)
            except Superseded:
                await asyncio.sleep(random.uniform(0.01, 0.1))  # noqa: S311 - no secret
                continue
            fingerprints = {
                (source.document_id, source.path, source.content_hash): resolved[source.document_id].fingerprint
                for source in one.sources.values()
                if source.document_id in resolved
            }
        if self._pending is None:
            return self._outcome  # the file is stored; whoever keeps writing settles the rest
        raise Conflict("Other files kept being written at the same time: try this one again.")

    def _look(self, stored: Mapping[str, StoredFile]) -> _Pass:
        sources = {
            row.document_id: _Source(row.document_id, row.path, row.language, row.content_hash)
            for row in stored.values()
            if row.language is not None and row.status == DocumentStatus.DONE
        }
        given = self._pending
        if given is None:
            return _Pass(stored, sources)
        sources.pop(given.document_id, None)
        if given.language is not None and self._broken is None:
            _refuse_twin(given, stored)
            sources[given.document_id] = _Source(
                given.document_id, given.path, given.language, given.content_hash, given.text
            )
        one = _Pass(stored, sources)
        if self._broken is not None:
            one.failed[given.document_id] = self._broken
        return one

    # -- facts

    async def _resolve(self, one: _Pass) -> dict[str, ResolvedFile]:
        """All code files, resolved together, by document id."""
        facts = await self._take_facts(one)
        try:
            return await asyncio.to_thread(_resolve, one.sources, facts)
        except Exception as exc:
            # The content is not lost for a fault of an extractor: it is stored as text, with the reason.
            if self._pending is None or self._pending.document_id not in one.sources:
                raise
            self._broken = _describe(exc)
            raise Superseded("The file is taken out and the others are resolved again.") from exc

    async def _take_facts(self, one: _Pass) -> dict[str, FileFacts]:
        keys = {facts_key(source.language, source.content_hash, source.path): source for source in one.sources.values()}
        facts: dict[str, FileFacts] = {}
        with FactsCache(self._cache_file) as cache:
            known = await asyncio.to_thread(cache.fetch, list(keys))
            for key, body in known.items():
                if (found := find_facts(body)) is not None:
                    facts[keys[key].document_id] = found
            missing = {key: source for key, source in keys.items() if source.document_id not in facts}
            texts = await self._fetch_texts(missing.values())
            for key, source in missing.items():
                try:
                    taken = await asyncio.to_thread(
                        get_language(source.language).extract_facts, source.path, texts[source.document_id]
                    )
                except Exception as exc:  # noqa: BLE001 - whatever an extractor raises, the text is kept
                    one.failed[source.document_id] = _describe(exc)
                    del one.sources[source.document_id]
                    continue
                facts[source.document_id] = taken
                await asyncio.to_thread(cache.store, {key: encode_facts(taken)})
        return facts

    async def _fetch_texts(self, sources: Iterable[_Source]) -> dict[str, str]:
        """The texts that the sources were read from. Raises Superseded where one is another by now."""
        texts = {source.document_id: source.text for source in sources if source.text is not None}
        wanted = {source.document_id: source.content_hash for source in sources if source.text is None}
        found = await fetch_texts(self._database, sorted(wanted))
        for document_id, content_hash in wanted.items():
            if document_id not in found or found[document_id].content_hash != content_hash:
                raise Superseded("A file was changed by somebody else at the same time: try again.")
            texts[document_id] = found[document_id].text
        return texts

    # -- writing

    async def _write(self, one: _Pass, resolved: Mapping[str, ResolvedFile]) -> None:
        given = self._pending
        documents = [] if given is None else self._own(one, given, resolved.get(given.document_id))
        others = _changed(one, resolved, but=None if given is None else given.document_id)
        texts = await self._fetch_texts(others)
        documents += [_build(source, texts[source.document_id], one, resolved) for source in others]
        if given is not None and self._cancel.is_set():
            raise IngestCancelled(f"The ingestion of {given.path} was cancelled before anything of it was written.")
        expected = {source.document_id: source.content_hash for source in others}
        for batch in _batches(documents):
            ids = {stored.result.document.document_id for stored in batch}
            held = {key: content_hash for key, content_hash in expected.items() if key in ids}
            await upsert_documents(self._database, batch, expected=held)
            self._pending = None
        self._pending = None

    def _own(self, one: _Pass, given: GivenText, resolved: ResolvedFile | None) -> list[StoredDocument]:
        """The document of the file that was given, where it has to be written."""
        row = one.stored.get(given.document_id)
        source = _Source(given.document_id, given.path, given.language or "", given.content_hash, given.text)
        if self._extracted is not None:
            document = self._extracted.stored(FILES_FOLDER)
        else:
            mapping: dict[str, ResolvedFile] = {} if resolved is None else {given.document_id: resolved}
            document = _build(source, given.text, one, mapping)
        known = row if row is not None and is_stored(row, document) else None
        self._outcome = Settled(document.result, resolved, known, self._extracted)
        return [document] if known is None else []


def _refuse_twin(given: GivenText, stored: Mapping[str, StoredFile]) -> None:
    for row in stored.values():
        if row.path == given.path and row.language is not None and row.document_id != given.document_id:
            raise Conflict(
                f"{given.path} is in this tenant already, as document {row.document_id}: give that id, another name, or"
                " delete that document first."
            )


def _state(one: _Pass) -> dict[tuple[str, str, str], str]:
    return {
        (source.document_id, source.path, source.content_hash): one.stored[source.document_id].facts_hash
        for source in one.sources.values()
    }


def _resolve(sources: Mapping[str, _Source], facts: Mapping[str, FileFacts]) -> dict[str, ResolvedFile]:
    ids = {source.path: document_id for document_id, source in sources.items()}
    found: dict[str, ResolvedFile] = {}
    for language in LANGUAGES:
        own = {source.path: facts[key] for key, source in sources.items() if source.language == language.name}
        found |= {ids[resolved.path]: resolved for resolved in language.resolve(own, ProjectConfig())} if own else {}
    for resolved in found.values():
        _ = resolved.fingerprint  # a cached property: hashed here, off the event loop
    return found


def _changed(one: _Pass, resolved: Mapping[str, ResolvedFile], *, but: str | None) -> list[_Source]:
    """The files whose stored facts are not those of now, those that fail from now on among them."""
    changed: list[_Source] = []
    for row in one.stored.values():
        if row.document_id == but or row.language is None or row.status != DocumentStatus.DONE:
            continue
        now = resolved.get(row.document_id)
        if now is None or now.fingerprint != row.facts_hash:
            changed.append(_Source(row.document_id, row.path, row.language, row.content_hash))
    return changed


def _build(source: _Source, text: str, one: _Pass, resolved: Mapping[str, ResolvedFile]) -> StoredDocument:
    document = Document(DocumentId(source.document_id), source.path, source.content_hash, language=source.language)
    now = resolved.get(source.document_id)
    if now is None:
        return _failed_document(document, text, one.failed.get(source.document_id, "its facts could not be taken"))
    result = now.result(document, text)
    try:
        check_evidence(result)
    except EvidenceMismatch as exc:
        return _failed_document(document, text, str(exc))
    return StoredDocument(result, now.fingerprint, FILES_FOLDER)


def _failed_document(document: Document, text: str, reason: str) -> StoredDocument:
    segments = cut_text(document.document_id, text, modality=document.modality)
    failed = replace(document, status=DocumentStatus.FAILED, reason=reason)
    return StoredDocument(ExtractionResult(failed, segments), f"FAILED {reason}", FILES_FOLDER)


def is_stored(row: StoredFile, stored: StoredDocument) -> bool:
    """Whether the store has just this already."""
    document = stored.result.document
    now = (document.path, document.content_hash, stored.facts_hash, document.status.value, document.language)
    return now == (row.path, row.content_hash, row.facts_hash, row.status, row.language)


def _batches(documents: Sequence[StoredDocument]) -> Iterator[list[StoredDocument]]:
    batch: list[StoredDocument] = []
    for stored in documents:
        batch.append(stored)
        if sum(one.size for one in batch) >= _ROWS_PER_TRANSACTION:
            yield batch
            batch = []
    if batch:
        yield batch


def _describe(exc: Exception) -> str:
    return f"its extractor failed ({type(exc).__name__}): the text is stored without facts; please report this fault"
