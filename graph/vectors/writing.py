"""Vectors into the graph: what has none, or one of another text, is embedded in batches. What is done stays done."""

import asyncio
import math
import threading
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, field
from typing import Final

from graph.database import Database, Transaction, as_vector
from graph.errors import CogniverseError
from graph.items import Item
from graph.statements import Nothing, Statement, load_statement
from graph.vectors.state import Storage, ensure_vectors
from graph.vectors.texts import MAX_CHARS, hash_text, node_text, segment_text

Embed = Callable[[Sequence[str]], list[list[float]]]

_READ_AT_ONCE: Final = 2_000
_EMBEDDED_AT_ONCE: Final = 256


class VectorsRefused(CogniverseError):
    """A model gave vectors that can't be kept."""


@dataclass(frozen=True, slots=True)
class _ItemsRow:
    items: list[Item]


@dataclass(frozen=True, slots=True)
class _Wanted:
    item_id: str
    text: str
    embedding_of: str


@dataclass(frozen=True, slots=True)
class _Section:
    """The statements for nodes, or for segments; `text` is what an item's vector is made of."""

    fetch: Statement[_ItemsRow]
    set_vectors: Statement[Nothing]
    set_lists: Statement[Nothing]
    mark: Statement[Nothing]
    text: Callable[[Item], str]


_SECTIONS: Final = (
    _Section(
        load_statement("vectors/fetch_nodes", _ItemsRow),
        load_statement("vectors/set_node_vectors", Nothing),
        load_statement("vectors/set_node_lists", Nothing),
        load_statement("vectors/mark_nodes", Nothing),
        lambda item: node_text(item["name"], item["aliases"], item["description"]),
    ),
    _Section(
        load_statement("vectors/fetch_segments", _ItemsRow),
        load_statement("vectors/set_segment_vectors", Nothing),
        load_statement("vectors/set_segment_lists", Nothing),
        load_statement("vectors/mark_segments", Nothing),
        lambda item: segment_text(item["heading"], item["text"]),
    ),
)


async def embed_missing(
    database: Database,
    embed: Embed,
    *,
    model: str,
    dimension: int,
    cancel: threading.Event | None = None,
    on_progress: Callable[[int], None] = lambda _: None,
) -> int:
    """Give a vector to each node and segment that has none, or one of another text; returns how many were made.

    `embed` is called in a thread, for the next batch while the last one is written; `on_progress` is told how many are
    done. Setting `cancel` ends it after the batch under way; the next call goes on from there. Raises VectorsMismatch
    when the tenant's vectors are another model's, and VectorsRefused for one that is not of that dimension, not finite
    or all zero.
    """
    state = await ensure_vectors(database, model=model, dimension=dimension)
    run = _Run(database, embed, model, dimension, Storage(state.storage), cancel or threading.Event(), on_progress)
    for section in _SECTIONS:
        await run.embed_section(section)
    return run.done


@dataclass
class _Run:
    database: Database
    embed: Embed
    model: str
    dimension: int
    storage: Storage
    cancel: threading.Event
    on_progress: Callable[[int], None]
    done: int = 0
    _writing: "asyncio.Task[None] | None" = field(default=None)

    async def embed_section(self, section: _Section) -> None:
        """Embed all that is missing of nodes, or of segments."""
        try:
            async for batch in self._batches(section):
                if self.cancel.is_set():
                    break
                vectors = await asyncio.to_thread(self.embed, [wanted.text for wanted in batch])
                self._check(batch, vectors)
                await self._finish_writing()
                self._writing = asyncio.create_task(self._write(section, batch, vectors))
        finally:
            await self._finish_writing()

    async def _finish_writing(self) -> None:
        writing, self._writing = self._writing, None
        if writing is not None:
            await writing

    async def _batches(self, section: _Section) -> AsyncIterator[list[_Wanted]]:
        waiting: list[_Wanted] = []
        after = ""
        while True:
            (row,) = await self.database.fetch(section.fetch, after=after, limit=_READ_AT_ONCE, chars=MAX_CHARS)
            missing = [wanted for item in row.items if (wanted := self._find_wanted(section, item)) is not None]
            await self._mark_silent(section, [wanted for wanted in missing if not wanted.text])
            waiting += [wanted for wanted in missing if wanted.text]
            last = len(row.items) < _READ_AT_ONCE
            while len(waiting) >= _EMBEDDED_AT_ONCE or (last and waiting):
                yield waiting[:_EMBEDDED_AT_ONCE]
                del waiting[:_EMBEDDED_AT_ONCE]
            if last:
                return
            after = row.items[-1]["id"]

    def _find_wanted(self, section: _Section, item: Item) -> _Wanted | None:
        text = section.text(item)
        embedding_of = hash_text(self.model, text)
        return None if item.get("embedding_of") == embedding_of else _Wanted(item["id"], text, embedding_of)

    def _check(self, batch: Sequence[_Wanted], vectors: Sequence[Sequence[float]]) -> None:
        if len(vectors) != len(batch):
            raise VectorsRefused(f"The model {self.model!r} gave {len(vectors)} vectors for {len(batch)} texts.")
        for wanted, vector in zip(batch, vectors, strict=True):
            fault = find_fault(vector, self.dimension)
            if fault is not None:
                raise VectorsRefused(f"The model {self.model!r} gave a vector {fault} for {wanted.item_id[:200]!r}.")

    async def _write(self, section: _Section, batch: Sequence[_Wanted], vectors: Sequence[Sequence[float]]) -> None:
        lists = self.storage is Storage.LISTS
        rows = [
            {
                "id": wanted.item_id,
                "embedding_of": wanted.embedding_of,
                "vector": list(vector) if lists else as_vector(vector),
            }
            for wanted, vector in zip(batch, vectors, strict=True)
        ]

        async def work(transaction: Transaction) -> None:
            if lists:
                await transaction.run(section.set_lists, rows=rows)
            else:
                await transaction.run(section.set_vectors, rows=rows, native=self.storage is Storage.NATIVE)

        await self.database.write(work)
        self.done += len(rows)
        self.on_progress(self.done)

    async def _mark_silent(self, section: _Section, silent: Sequence[_Wanted]) -> None:
        rows = [{"id": wanted.item_id, "embedding_of": wanted.embedding_of} for wanted in silent]

        async def work(transaction: Transaction) -> None:
            await transaction.run(section.mark, rows=rows)

        if rows:
            await self.database.write(work)


def find_fault(vector: Sequence[float], dimension: int) -> str | None:
    """Why a vector can't be kept or searched by; None when it can."""
    if len(vector) != dimension:
        return f"of {len(vector)} numbers instead of {dimension}"
    if not all(map(math.isfinite, vector)):
        return "that holds NaN or infinity"
    return None if any(vector) else "that is all zero"
