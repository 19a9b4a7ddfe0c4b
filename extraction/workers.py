"""Facts of many files, taken by all cores."""

import asyncio
import multiprocessing
import os
import signal
from collections.abc import AsyncGenerator, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
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

    A file that kills the process which reads it ends as failed, alone. Closing the generator early drops what has
    not begun.
    """
    batches = list(_batches(tasks))
    if sum(task.size for task in tasks) < _POOL_FROM_BYTES or workers == 1:
        for batch in batches:
            yield await asyncio.to_thread(_take_batch, batch)
        return
    lost: list[Input] = []
    pool = _start_pool(min(workers or os.cpu_count() or 1, len(batches)))
    try:
        running = {asyncio.wrap_future(pool.submit(_take_batch, batch)): batch for batch in batches}
        while running:
            done, _ = await asyncio.wait(running, return_when=asyncio.FIRST_COMPLETED)
            for future in done:
                batch = running.pop(future)
                if isinstance(future.exception(), BrokenProcessPool):
                    lost.extend(batch)
                else:
                    yield future.result()
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
    for task in lost:
        yield [await asyncio.to_thread(_take_apart, task)]


def _start_pool(workers: int) -> ProcessPoolExecutor:
    # Not by fork: the program has threads and an event loop by now.
    context = multiprocessing.get_context("forkserver" if os.name == "posix" else "spawn")
    return ProcessPoolExecutor(workers, mp_context=context, initializer=_ignore_interrupts)


def _ignore_interrupts() -> None:
    # Ctrl-C reaches the whole process group; what it means is for the parent to decide.
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _take_apart(task: Input) -> Taken:
    """Read one file in a process of its own."""
    with _start_pool(1) as pool:
        try:
            return pool.submit(_take, task).result()
        except BrokenProcessPool:
            reason = "the process that read it died; it may be out of memory"
            return Taken(task.path, "", None, DocumentStatus.FAILED, reason)


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
    assert task.language is not None  # noqa: S101 - only code comes here
    facts = get_language(task.language).extract_facts(task.path, source.text)
    return Taken(task.path, source.content_hash, encode_facts(facts))
