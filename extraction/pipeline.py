"""From a folder to a tenant's graph: scan, extract what is new, resolve all, write what has changed.

Resolution sees the whole folder, so a file whose text is the same may still say something new (what it calls has
moved): each document carries a hash of its text and one of its facts, and is written when either differs. Where no
input differs from the last complete run, nothing is resolved and nothing is written.
"""

import asyncio
import threading
import time
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from extraction.batches import Batch, Batcher, document_without_facts, is_stored
from extraction.cache import FactsCache
from extraction.code.facts import FileFacts, decode_facts, find_facts
from extraction.code.projects import ProjectConfig, read_config
from extraction.code.results import ResolvedFile
from extraction.documents.extraction import DocumentModels, degradations
from extraction.documents.folder import DocumentOutcome, FolderDocuments
from extraction.documents.reading import document_suffixes
from extraction.inputs import MAX_DOCUMENT_BYTES, Input, read_config_texts, read_inputs, snapshot, suffixes_of
from extraction.ownership import claim_folder, clean_prefix
from extraction.registry import LANGUAGES, code_versions, find_language
from extraction.report import FileOutcome, IndexProgress, IndexReport, Stage, rank_drops
from extraction.scan import Scan, scan_folder
from extraction.selection import Selection
from extraction.summary import Summary, Tally
from extraction.workers import Taken, take_facts
from graph.answers import Count, Degradation
from graph.database import Database
from graph.errors import InvalidInput
from graph.folders import Folder, count_named_nodes, upsert_folder
from graph.model import DocumentId, DocumentStatus
from graph.quotas import get_quota
from graph.store import DocumentState, delete_documents, fetch_document_states, upsert_fitting

CONTENT_TYPES: Final = ("auto", "code", "docs")
"""What a folder may be said to hold; `auto` reads code and documents, but no plain data such as JSON."""

_DOCUMENTS_PER_TRANSACTION: Final = 200

OnProgress = Callable[[IndexProgress], None]
OnTotal = Callable[[int], None]
OnFile = Callable[[str, DocumentStatus, str | None], None]
"""Hears of a file that has ended: its path, how it ended, and why it was skipped or failed."""


@dataclass(frozen=True, slots=True)
class IndexOptions:
    """How a folder is indexed.

    `workers` is the number of extraction processes, 0 for one a core; `prefix` goes before the paths of the
    folder's documents; `prune` removes documents of this type whose files are gone or not asked for any longer;
    `include` and `exclude` are globs (see Selection); `cache_dir` keeps facts between runs.
    """

    content_type: str = "code"
    workers: int = 0
    prefix: str = ""
    prune: bool = True
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    cache_dir: Path | None = None


async def index_folder(
    database: Database,
    root: Path,
    *,
    options: IndexOptions | None = None,
    models: DocumentModels | None = None,
    on_progress: OnProgress = lambda _: None,
    on_total: OnTotal = lambda _: None,
    on_file: OnFile = lambda _path, _status, _reason: None,
    cancel: threading.Event | None = None,
) -> IndexReport:
    """Bring the tenant's graph in line with a folder and tell what was done.

    Setting `cancel` ends the run after the transaction that is under way: what is written is whole, and the next run
    goes on from there. `on_total` hears once of how many files, and folders left out, `on_file` will tell; each is told
    of when its facts are stored, or when it is settled that there are none. Both are called in the event loop's thread.
    Raises InvalidInput for a folder that can't be read and Conflict where another folder holds the same documents;
    trouble with single files is reported, not raised.
    """
    options = options or IndexOptions()
    if options.content_type not in CONTENT_TYPES:
        raise InvalidInput(f"Unknown type {options.content_type!r}: use one of {', '.join(CONTENT_TYPES)}.")
    run = _Run(
        database,
        options,
        models=models or DocumentModels(),
        on_progress=on_progress,
        on_total=on_total,
        on_file=on_file,
        cancel=cancel or threading.Event(),
    )
    return await run.index(root)


@dataclass(slots=True)
class _Outcome:
    """What a run has come to so far. `complete` is false when a file must be looked at again."""

    indexed: int = 0
    unchanged: int = 0
    removed: int = 0
    skipped: list[FileOutcome] = field(default_factory=list[FileOutcome])
    failed: list[FileOutcome] = field(default_factory=list[FileOutcome])
    complete: bool = True
    summary: Summary = field(default_factory=Summary)
    degraded: tuple[Degradation, ...] = ()
    dropped: Counter[tuple[str, str]] = field(default_factory=Counter[tuple[str, str]])
    timings_s: dict[str, float] = field(default_factory=dict[str, float])

    @contextmanager
    def timed(self, stage: Stage) -> Generator[None]:
        began = time.monotonic()
        try:
            yield
        finally:
            self.timings_s[stage.value] = self.timings_s.get(stage.value, 0.0) + time.monotonic() - began

    def count_without_facts(self, given: Input) -> None:
        outcomes = {DocumentStatus.SKIPPED: self.skipped, DocumentStatus.FAILED: self.failed}.get(given.status)
        if outcomes is not None:
            outcomes.append(FileOutcome(given.path, given.reason or ""))


class _Run:
    """One index run. Its methods are the stages, in order."""

    def __init__(
        self,
        database: Database,
        options: IndexOptions,
        *,
        models: DocumentModels,
        on_progress: OnProgress,
        on_total: OnTotal,
        on_file: OnFile,
        cancel: threading.Event,
    ) -> None:
        self._database = database
        self._options = options
        self._models = models
        self._prefix = clean_prefix(options.prefix)
        self._selection = Selection(options.include, options.exclude)
        self._on_progress = on_progress
        self._on_total = on_total
        self._on_file = on_file
        self._cancel = cancel
        self._outcome = _Outcome()
        self._tally = Tally()
        self._told: set[str] = set()

    async def index(self, root: Path) -> IndexReport:
        began = time.monotonic()
        outcome = self._outcome
        with outcome.timed(Stage.SCAN):
            scan = await asyncio.to_thread(
                scan_folder,
                root,
                suffixes=suffixes_of(self._options.content_type),
                selection=self._selection,
                limits=dict.fromkeys(document_suffixes(), MAX_DOCUMENT_BYTES),
            )
            inputs = await asyncio.to_thread(read_inputs, scan, self._prefix, self._teller(Stage.SCAN))
            config_texts = await asyncio.to_thread(read_config_texts, inputs, scan.root)
            self._on_total(len(inputs) + len(scan.skipped) + len(scan.failed))
            self._tell_all(scan.skipped, DocumentStatus.SKIPPED)
            self._tell_all(scan.failed, DocumentStatus.FAILED)
            outcome.skipped.extend(scan.skipped)
            outcome.failed.extend(scan.failed)
            document_ids = [DocumentId(path) for path in inputs]
            folder = await claim_folder(self._database, scan.root, self._prefix, document_ids)
            reads_texts = any(given.language is None for given in inputs.values())
            outcome.degraded = degradations(self._models) if reads_texts else ()
            current = snapshot(
                inputs, config_texts, scan.failed, models=self._models.fingerprint if reads_texts else ""
            )
        if folder.snapshot == current:
            outcome.summary = Summary.from_json(folder.summary)
            outcome.unchanged = sum(given.status is DocumentStatus.DONE for given in inputs.values())
            for given in inputs.values():
                self._on_file(given.path, given.status, given.reason)
        elif not self._cancel.is_set():
            config = read_config(config_texts)
            if self._prefix:
                config = replace(config, source_roots=(*config.source_roots, self._prefix))
            await self._update(folder, current, scan, inputs, config)
        for given in inputs.values():
            outcome.count_without_facts(given)
        return self._report(scan.root, time.monotonic() - began)

    async def _update(
        self, folder: Folder, current: str, scan: Scan, inputs: dict[str, Input], config: ProjectConfig
    ) -> None:
        # From here on the folder's documents are between two states, which the next run must see.
        await upsert_folder(self._database, replace(folder, snapshot=""))
        states = await fetch_document_states(self._database, folder.folder_id)
        with self._outcome.timed(Stage.EXTRACT):
            facts = await self._take_facts(inputs)
        if self._cancel.is_set():
            return
        # Where there are limits, old and new may have no room side by side: what has another name now goes first.
        limited = (await get_quota(self._database)).limits_contents
        if limited:
            await self._prune(states, inputs, scan)
        batcher = Batcher(_resolve(facts, inputs, config), inputs, states, folder.folder_id)
        await self._write(batcher, len(facts))
        await self._take_in_documents(folder, inputs, states)
        await self._write_without_facts(folder, inputs, states)
        if not limited:
            await self._prune(states, inputs, scan)
        self._outcome.summary = self._tally.summary()
        if self._cancel.is_set():
            return
        kept = current if self._outcome.complete else ""
        summary = self._outcome.summary.to_json()
        made_by = [f"{what}: {version}" for what, version in self._versions(inputs).items()]
        await upsert_folder(self._database, replace(folder, snapshot=kept, summary=summary, made_by=made_by))

    def _versions(self, inputs: Mapping[str, Input]) -> dict[str, str]:
        """What made the facts of the inputs: their languages' extractors, and what reads texts where there are any."""
        code = code_versions({given.language for given in inputs.values() if given.language is not None})
        reads_texts = any(given.language is None for given in inputs.values())
        return code | self._models.versions if reads_texts else code

    async def _take_facts(self, inputs: dict[str, Input]) -> dict[str, FileFacts]:
        """The facts of all readable inputs; `inputs` is corrected where a file turns out to be otherwise."""
        code = {path: given for path, given in inputs.items() if given.language is not None}
        wanted = {given.cache_key: path for path, given in code.items() if given.status is DocumentStatus.DONE}
        tell = self._teller(Stage.EXTRACT)
        facts: dict[str, FileFacts] = {}
        with FactsCache(self._options.cache_dir / "facts.sqlite" if self._options.cache_dir else None) as cache:
            known = await asyncio.to_thread(cache.fetch, list(wanted))
            facts |= {wanted[key]: one for key, body in known.items() if (one := find_facts(body)) is not None}
            await asyncio.to_thread(cache.touch, list(known))
            missing = [inputs[path] for path in wanted.values() if path not in facts]
            tell(len(facts), len(wanted))
            batches = take_facts(missing, workers=self._options.workers)
            async for batch in batches:
                for taken in batch:
                    inputs[taken.path] = _corrected(inputs[taken.path], taken)
                bodies = {taken.path: taken.facts for taken in batch if taken.facts is not None}
                facts |= {path: decode_facts(body) for path, body in bodies.items()}
                await asyncio.to_thread(cache.store, {inputs[path].cache_key: body for path, body in bodies.items()})
                tell(len(facts), len(wanted))
                if self._cancel.is_set():
                    break
            await batches.aclose()
        return facts

    async def _write(self, batcher: Batcher, total: int) -> None:
        tell = self._teller(Stage.WRITE)
        done = 0
        coming = asyncio.ensure_future(asyncio.to_thread(batcher.next_batch))
        while not self._cancel.is_set():
            batch = await coming
            if not batch.last:
                # The next batch is resolved while the server is busy with this one.
                coming = asyncio.ensure_future(asyncio.to_thread(batcher.next_batch))
            with self._outcome.timed(Stage.WRITE):
                await self._write_batch(batch)
            done += batch.files
            tell(done, total)
            if batch.last:
                break
        await coming
        self._outcome.timings_s[Stage.RESOLVE.value] = batcher.resolve_s

    async def _write_batch(self, batch: Batch) -> None:
        if batch.documents:
            await upsert_fitting(self._database, batch.documents)
        self._outcome.indexed += len(batch.documents)
        self._outcome.unchanged += batch.unchanged
        self._outcome.failed.extend(batch.failed)
        self._outcome.complete &= not batch.failed
        for resolved, edges, mentions in batch.stated:
            self._tally.add(resolved, edges=edges, mentions=mentions)
            self._on_file(resolved.path, DocumentStatus.DONE, None)
        self._tell_all(batch.failed, DocumentStatus.FAILED)

    async def _take_in_documents(
        self, folder: Folder, inputs: dict[str, Input], states: Mapping[DocumentId, DocumentState]
    ) -> None:
        """Read, extract and write the folder's texts; `inputs` is corrected where one turns out to be otherwise."""
        wanted = [given for given in inputs.values() if given.language is None and given.status is DocumentStatus.DONE]
        if not wanted or self._cancel.is_set():
            return
        tell = self._teller(Stage.DOCUMENTS)
        tell(0, len(wanted))
        documents = FolderDocuments(
            self._database, self._models, folder_id=folder.folder_id, states=states, cancel=self._cancel
        )
        done = 0
        with self._outcome.timed(Stage.DOCUMENTS):
            async for group in documents.run(wanted):
                for one in group:
                    self._note_document(one, inputs)
                done += len(group)
                tell(done, len(wanted))
            self._tally.add_documents(nodes=await count_named_nodes(self._database, folder.folder_id))

    def _note_document(self, one: DocumentOutcome, inputs: dict[str, Input]) -> None:
        outcome = self._outcome
        self._tally.add_documents(edges=one.edges, mentions=one.mentions)
        outcome.dropped.update({(drop.what, drop.reason): drop.count for drop in one.dropped})
        outcome.complete &= one.status is not DocumentStatus.FAILED
        if one.status is not DocumentStatus.DONE:
            inputs[one.path] = replace(inputs[one.path], status=one.status, reason=one.reason)
        elif one.unchanged:
            outcome.unchanged += 1
        else:
            outcome.indexed += 1
        self._told.add(one.path)
        self._on_file(one.path, one.status, one.reason)

    async def _write_without_facts(
        self, folder: Folder, inputs: Mapping[str, Input], states: Mapping[DocumentId, DocumentState]
    ) -> None:
        without = [
            given
            for given in inputs.values()
            if given.status is not DocumentStatus.DONE and given.path not in self._told
        ]
        documents = [document_without_facts(given, folder.folder_id) for given in without]
        changed = [stored for stored in documents if not is_stored(stored, states)]
        for start in range(0, len(changed), _DOCUMENTS_PER_TRANSACTION):
            if self._cancel.is_set():
                return
            await upsert_fitting(self._database, changed[start : start + _DOCUMENTS_PER_TRANSACTION])
        for given in without:
            self._on_file(given.path, given.status, given.reason)

    async def _prune(self, states: Mapping[DocumentId, DocumentState], inputs: Mapping[str, Input], scan: Scan) -> None:
        # What lies in a folder that could not be read is not known to be gone.
        prefix = f"{self._prefix}/" if self._prefix else ""
        unread = tuple(f"{prefix}{outcome.path}" for outcome in scan.failed if outcome.path.endswith("/"))
        gone = sorted(
            path
            for path in states
            if path not in inputs and not path.startswith(unread) and _is_of(path, self._options.content_type)
        )
        if gone and not self._options.prune:
            self._outcome.complete = False  # a run that prunes has something to do
            return
        for start in range(0, len(gone), _DOCUMENTS_PER_TRANSACTION):
            if self._cancel.is_set():
                return
            chunk = gone[start : start + _DOCUMENTS_PER_TRANSACTION]
            await delete_documents(self._database, chunk)
            self._outcome.removed += len(chunk)

    def _tell_all(self, outcomes: Iterable[FileOutcome], status: DocumentStatus) -> None:
        for outcome in outcomes:
            self._on_file(outcome.path, status, outcome.reason)

    def _teller(self, stage: Stage) -> Callable[[int, int], None]:
        def tell(done: int, total: int) -> None:
            self._on_progress(IndexProgress(stage, done, total))

        return tell

    def _report(self, root: Path, elapsed_s: float) -> IndexReport:
        outcome, summary = self._outcome, self._outcome.summary
        return IndexReport(
            root=str(root),
            files_indexed=outcome.indexed,
            files_unchanged=outcome.unchanged,
            files_removed=outcome.removed,
            skipped=tuple(outcome.skipped),
            failed=tuple(outcome.failed),
            nodes=summary.nodes,
            edges=summary.edges,
            mentions=summary.mentions,
            unresolved=tuple(Count(reason, count) for reason, count in summary.unresolved),
            dropped=rank_drops(outcome.dropped),
            degraded=outcome.degraded,
            elapsed_s=elapsed_s,
            timings_s=outcome.timings_s,
            cancelled=self._cancel.is_set(),
        )


def _resolve(
    facts: Mapping[str, FileFacts], inputs: Mapping[str, Input], config: ProjectConfig
) -> Generator[ResolvedFile]:
    for language in LANGUAGES:
        own = {path: one for path, one in facts.items() if inputs[path].language == language.name}
        if own:
            yield from language.resolve(own, config)


def _is_of(path: str, content_type: str) -> bool:
    """Whether a document is one of those that a run of this type is about."""
    return content_type == "auto" or (find_language(path) is not None) == (content_type == "code")


def _corrected(given: Input, taken: Taken) -> Input:
    return replace(given, content_hash=taken.content_hash, status=taken.status, reason=taken.reason)
