"""Facts of many files, taken by all cores."""

import asyncio
import multiprocessing
import os
from collections.abc import AsyncGenerator, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from typing import Final

from extraction.code.facts import encode_facts
from extraction.inputs import Input
from extraction.registry import get_language
from extraction.source import SourceFailed, SourceSkipped, read_text
from graph.model import DocumentStatus

_BATCH_BYTES: Final = 250_000
# Below this the start of a process costs more than it gains.
_POOL_FROM_BYTES: Final = 400_000


@dataclass(frozen=True, slots=True)
class Taken:
    """The facts of a file, encoded, or why there are none."""

    path: str
    content_hash: str
    facts: bytes | None
    status: DocumentStatus = DocumentStatus.DONE
    reason: str | None = None


async def take_facts(tasks: Sequence[Input], *, workers: int) -> AsyncGenerator[list[Taken]]:
    """Yield the facts of all tasks in batches, in any order. `workers` 0 means one for each core.

    Closing the generator early drops what has not begun.
    """
    batches = list(_batches(tasks))
    if sum(task.size for task in tasks) < _POOL_FROM_BYTES or workers == 1:
        for batch in batches:
            yield await asyncio.to_thread(_take_batch, batch)
        return
    # Not by fork: the program has threads and an event loop by now.
    context = multiprocessing.get_context("forkserver" if os.name == "posix" else "spawn")
    pool = ProcessPoolExecutor(min(workers or os.cpu_count() or 1, len(batches)), mp_context=context)
    try:
        loop = asyncio.get_running_loop()
        for done in asyncio.as_completed([loop.run_in_executor(pool, _take_batch, batch) for batch in batches]):
            yield await done
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def _batches(tasks: Sequence[Input]) -> Iterator[list[Input]]:
    batch: list[Input] = []
    size = 0
    # The largest first, so that no core is left with a big file at the end.
    for task in sorted(tasks, key=lambda task: (-task.size, task.path)):
        batch.append(task)
        size += task.size
        if size >= _BATCH_BYTES:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def _take_batch(tasks: list[Input]) -> list[Taken]:
    return [_take(task) for task in tasks]


def _take(task: Input) -> Taken:
    try:
        source = read_text(task.absolute)
    except SourceSkipped as exc:
        return Taken(task.path, "", None, DocumentStatus.SKIPPED, str(exc))
    except SourceFailed as exc:
        return Taken(task.path, "", None, DocumentStatus.FAILED, str(exc))
    facts = get_language(task.language).extract_facts(task.path, source.text)
    return Taken(task.path, source.content_hash, encode_facts(facts))
