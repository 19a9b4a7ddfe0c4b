"""Documents as facts: what the models find in their texts, or the reason why they could not be asked."""

import asyncio
import hashlib
import threading
from collections.abc import Awaitable, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, TypeVar

from extraction.claims.base import ClaimReader, ClaimsFailed, SegmentClaims
from extraction.documents.acronyms import find_acronyms
from extraction.documents.facts import DocumentFacts
from extraction.documents.naming import Naming, long_forms
from extraction.documents.reading import READER_VERSION, ReadLimits
from extraction.documents.segments import VERSION, cut_document
from extraction.documents.text import DocumentText
from extraction.entities.base import EntitiesFailed, EntityExtractor, EntitySpan
from extraction.ontology.entries import Ontology
from extraction.report import Dropped
from graph.answers import Degradation
from graph.errors import CogniverseError
from graph.model import Document, DocumentStatus, ExtractionResult, Segment
from graph.rows import StoredDocument

_Result = TypeVar("_Result")
_CODE_VERSION: Final = "1"
_TEXTS_AT_ONCE: Final = 8
"""Texts of one call of the entity model: so many are waited for when the work is called off."""

_CALLS_AT_ONCE: Final = 2
"""While one call is in the model, the next one's texts are made ready and the last one's spans are taken in."""

_LOOK_EVERY_S: Final = 0.1
_NO_ENTITIES: Final = (
    "No entity model is set up: the text is stored and can be searched, but gives no nodes of its own. See `cogniverse"
    " models list`."
)
_NO_CLAIMS: Final = "No language model is set up (COGNIVERSE_CLAIMS_MODEL): there are entities only, no claims."


class ExtractionCancelled(CogniverseError):
    """The work was called off before anything of it was done."""


@dataclass(frozen=True, slots=True)
class DocumentModels:
    """What reads a tenant's documents; `failure` tells why no entity is found although a model was asked for."""

    entities: EntityExtractor | None = None
    claims: ClaimReader | None = None
    terms: Ontology | None = None
    limits: ReadLimits = field(default_factory=ReadLimits)
    failure: str | None = None

    @property
    def versions(self) -> dict[str, str]:
        """All that a document's facts depend on beside its bytes, by what it is."""
        return {
            "document reader": f"{READER_VERSION} {VERSION} {_CODE_VERSION}",
            "entity model": self.entities.fingerprint if self.entities else self.failure or "no entities",
            "claim model": self.claims.fingerprint if self.claims else "no claims",
            "ontology": self.terms.fingerprint if self.terms else "no ontology",
        }

    @property
    def fingerprint(self) -> str:
        """A hash of `versions`."""
        return "text " + hashlib.sha256("\0".join(self.versions.values()).encode()).hexdigest()[:32]


@dataclass(frozen=True, slots=True)
class ReadDocument:
    """A document that was read as text."""

    document: Document
    text: DocumentText


@dataclass(frozen=True, slots=True)
class Extracted:
    """What became of a document. It is FAILED, with the reason, where a model that was asked for could not be used."""

    result: ExtractionResult
    facts_hash: str
    degraded: tuple[Degradation, ...] = ()
    dropped: tuple[Dropped, ...] = ()

    def stored(self, folder_id: str) -> StoredDocument:
        """The document on its way into the store."""
        return StoredDocument(self.result, self.facts_hash, folder_id)


async def extract_documents(
    documents: Sequence[ReadDocument], models: DocumentModels, *, cancel: threading.Event
) -> list[Extracted]:
    """The facts of documents, each as if it came alone. Raises ExtractionCancelled when `cancel` is set meanwhile."""
    segments = [cut_document(one.document.document_id, one.text, modality=one.document.modality) for one in documents]
    found = await _find_entities(segments, models, cancel)
    return [
        await _extract(one, cut, entities, models, cancel)
        for one, cut, entities in zip(documents, segments, found, strict=True)
    ]


async def _extract(
    read: ReadDocument,
    segments: Sequence[Segment],
    entities: "Sequence[Sequence[EntitySpan]] | str",
    models: DocumentModels,
    cancel: threading.Event,
) -> Extracted:
    if isinstance(entities, str):
        return _failed(ExtractionResult(read.document, tuple(segments)), entities)
    acronyms = [(one.short, one.long) for one in find_acronyms(read.text.text)] if models.entities else []
    facts = DocumentFacts(read.document, segments, Naming(models.terms, long_forms(acronyms)))
    facts.add_entities(entities)
    failure: str | None = None
    if models.claims is not None:
        try:
            facts.add_claims(await _read_claims(models.claims, facts, cancel))
        except ClaimsFailed as exc:
            failure = f"claims: {_place(segments, exc.index)}{exc}"
    if failure is not None:
        return _failed(facts.result(), failure, facts.drops())
    return Extracted(facts.result(), models.fingerprint, degradations(models), facts.drops())


def _failed(result: ExtractionResult, reason: str, dropped: tuple[Dropped, ...] = ()) -> Extracted:
    document = replace(result.document, status=DocumentStatus.FAILED, reason=reason)
    return Extracted(replace(result, document=document), f"FAILED {reason}", (Degradation("facts", reason),), dropped)


def degradations(models: DocumentModels) -> tuple[Degradation, ...]:
    """What documents go without, for want of a model; one that could not be used is told with each document."""
    if models.failure is not None:
        return ()
    if models.entities is None:
        return (Degradation("entities", _NO_ENTITIES),)
    return () if models.claims is not None else (Degradation("claims", _NO_CLAIMS),)


# -- entities


async def _find_entities(
    documents: Sequence[Sequence[Segment]], models: DocumentModels, cancel: threading.Event
) -> "list[list[list[EntitySpan]] | str]":
    """The entities of each segment of each document, or the reason why a document has none."""
    if models.failure is not None:
        return [models.failure for _ in documents]
    if models.entities is None:
        return [[[] for _ in segments] for segments in documents]
    calls = _Calls(models.entities, cancel)
    texts = [(number, segment) for number, segments in enumerate(documents) for segment in segments]
    await asyncio.gather(
        *(calls.run(texts[start : start + _TEXTS_AT_ONCE]) for start in range(0, len(texts), _TEXTS_AT_ONCE))
    )
    return [
        calls.failed.get(number) or [calls.found[segment.segment_id] for segment in segments]
        for number, segments in enumerate(documents)
    ]


@dataclass(slots=True)
class _Calls:
    """Calls of the entity model, a few at once. A document of which a text fails has failed; the others go on."""

    model: EntityExtractor
    cancel: threading.Event
    found: dict[str, list[EntitySpan]] = field(default_factory=dict[str, list[EntitySpan]])
    failed: dict[int, str] = field(default_factory=dict[int, str])
    slots: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(_CALLS_AT_ONCE))

    async def run(self, texts: Sequence[tuple[int, Segment]]) -> None:
        async with self.slots:
            while wanted := [(number, segment) for number, segment in texts if number not in self.failed]:
                _check(self.cancel)
                try:
                    found = await asyncio.to_thread(self.model.extract, [segment.text for _, segment in wanted])
                except EntitiesFailed as exc:
                    self._note(wanted, exc)
                    continue
                for (_, segment), spans in zip(wanted, found, strict=True):
                    self.found[segment.segment_id] = spans
                return

    def _note(self, wanted: Sequence[tuple[int, Segment]], exc: EntitiesFailed) -> None:
        if exc.index is None or not 0 <= exc.index < len(wanted):
            self.failed |= {number: f"entities: {exc}" for number, _ in wanted}
            return
        number, segment = wanted[exc.index]
        self.failed[number] = f"entities: segment {segment.label}: {exc}"


# -- claims


async def _read_claims(reader: ClaimReader, facts: DocumentFacts, cancel: threading.Event) -> list[SegmentClaims]:
    return await _cancellable(reader.read(facts.claim_texts()), cancel)


async def _cancellable(work: Awaitable[_Result], cancel: threading.Event) -> _Result:
    """Wait for work that ends when `cancel` is set."""
    task = asyncio.ensure_future(work)
    try:
        while not (await asyncio.wait({task}, timeout=_LOOK_EVERY_S))[0]:
            _check(cancel)
        return task.result()
    finally:
        if not task.done():
            task.cancel()
            await asyncio.wait({task})


def _check(cancel: threading.Event) -> None:
    if cancel.is_set():
        raise ExtractionCancelled("The extraction was cancelled.")


def _place(segments: Sequence[Segment], index: int | None) -> str:
    return "" if index is None or not 0 <= index < len(segments) else f"segment {segments[index].label}: "
