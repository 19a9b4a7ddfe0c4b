"""A file, checked whole before, into an empty database: in batches, each of them with how far the import is.

Until the graph's hash is found to be the file's the database bears a mark and nothing else uses it. An import that was
broken off, at any moment, goes on after its last batch when the same contents are imported again.
"""

import asyncio
import threading
from collections.abc import Callable, Generator
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any, Final

import msgspec

from graph.database import Database, Transaction
from graph.errors import Conflict, InvalidInput, LimitExceeded
from graph.exports.records import Section
from graph.fingerprint import get_graph_hash
from graph.imports import shapes
from graph.imports.mark import Mark, advance, begin_import, finish_import
from graph.imports.reading import Facts, read_records
from graph.quotas import check_quota, get_quota
from graph.statements import Statement, load_statement

BATCH_ROWS: Final = 5_000
BATCH_BYTES: Final = 4_000_000
"""Of JSON; a record that is larger stands alone."""

Row = dict[str, Any]


class Step(StrEnum):
    """What an import is at."""

    WRITE = "write"
    VERIFY = "verify"


OnStep = Callable[[Step, int, int], None]
"""Told the step, how many records it has done, and of how many, 0 where that is not known."""


@dataclass(frozen=True, slots=True)
class ImportSummary:
    """What was imported. `resumed_from` is how many of the records had been written before."""

    hash: str
    documents: int
    nodes: int
    edges: int
    mentions: int
    records: int
    resumed_from: int


@dataclass(frozen=True, slots=True)
class _Written:
    written: int


_Rows = dict[Statement[_Written], list[Row]]


@dataclass(slots=True)
class _Batch:
    """Rows by the statement that writes them."""

    rows: _Rows = field(default_factory=dict[Statement[_Written], list[Row]])
    count: int = 0
    size_bytes: int = 0

    @property
    def is_full(self) -> bool:
        return self.count >= BATCH_ROWS or self.size_bytes >= BATCH_BYTES

    def add(self, statement: Statement[_Written], row: Row, size_bytes: int) -> None:
        self.rows.setdefault(statement, []).append(row)
        self.count += 1
        self.size_bytes += size_bytes


class _Dangling(Exception):
    """Some of the rows of a statement refer to what is not there."""

    def __init__(self, statement: Statement[_Written]) -> None:
        super().__init__()
        self.statement = statement


class _Probed(Exception):
    """Takes back what was written to look at it."""


_NODES = load_statement("imports/create_nodes", _Written)
_SEGMENTS = load_statement("imports/create_segments", _Written)
_EDGES = load_statement("imports/create_edges", _Written)
_NODE_MENTIONS = load_statement("imports/create_node_mentions", _Written)
_EDGE_MENTIONS = load_statement("imports/create_edge_mentions", _Written)
_ORIGIN_LINKS = load_statement("imports/create_origin_links", _Written)
_UNRESOLVED = load_statement("imports/create_unresolved", _Written)
_LABELS: Final[dict[type[shapes.RecordLine], str]] = {
    shapes.FolderLine: "Folder",
    shapes.MergeLine: "Merge",
    shapes.MergeStateLine: "MergeState",
    shapes.OriginLine: "Origin",
    shapes.DocumentLine: "Document",
}


async def import_file(
    database: Database,
    file: Path,
    facts: Facts,
    *,
    name: str,
    on_step: OnStep = lambda _step, _done, _total: None,
    cancel: threading.Event | None = None,
) -> ImportSummary | None:
    """Make the graph of a file that `check_file` told the facts of; None when it was cancelled and can go on.

    `name` is what the file is called in messages. Raises InvalidInput for references to what is not in the file,
    Conflict for a database with a graph and for a graph with another hash than the file's, LimitExceeded.
    """
    await _check_limits(database, facts)
    mark = await begin_import(database, file=name, sha256=facts.sha256)
    done = mark.position
    batches = _batches(file, name, skip=done)
    upcoming = asyncio.create_task(asyncio.to_thread(next, batches, None))
    try:
        while (batch := await upcoming) is not None:
            if cancel is not None and cancel.is_set():
                return None
            # The next batch is read while the server writes this one.
            upcoming = asyncio.create_task(asyncio.to_thread(next, batches, None))
            await _write(database, mark, batch, done=done, name=name)
            done += batch.count
            on_step(Step.WRITE, done, facts.total)
    finally:
        await asyncio.wait([upcoming])
        batches.close()
    on_step(Step.VERIFY, 0, 0)
    await _verify(database, facts, name)
    await finish_import(database, mark)
    return ImportSummary(
        hash=facts.hash,
        documents=facts.counts.get(Section.DOCUMENT, 0),
        nodes=facts.counts.get(Section.NODE, 0),
        edges=facts.counts.get(Section.EDGE, 0),
        mentions=facts.counts.get(Section.MENTION, 0),
        records=facts.total,
        resumed_from=mark.position,
    )


async def _check_limits(database: Database, facts: Facts) -> None:
    quota = await get_quota(database)
    held = {
        "documents": (facts.counts.get(Section.DOCUMENT, 0), quota.documents),
        "nodes": (facts.counts.get(Section.NODE, 0), quota.nodes),
        "bytes of text": (facts.text_bytes, quota.bytes),
    }
    for what, (count, limit) in held.items():
        if limit is not None and count > limit:
            raise LimitExceeded(
                f"This tenant may hold {limit:,} {what} and the file has {count:,}: nothing was written. Have the limit"
                " raised (`cogniverse tenant limit`), then import again."
            )


def _batches(file: Path, name: str, *, skip: int) -> Generator[_Batch]:
    batch = _Batch()
    for place, (number, size_bytes, line) in enumerate(read_records(file, name)):
        if place < skip:
            continue
        batch.add(*_row(number, line), size_bytes)
        if batch.is_full:
            yield batch
            batch = _Batch()
    if batch.count:
        yield batch


def _row(number: int, line: shapes.RecordLine) -> tuple[Statement[_Written], Row]:
    properties = msgspec.to_builtins(line.properties)
    row: Row = {"line": number, "properties": properties}
    match line:
        case shapes.NodeLine(labels=labels):
            return _NODES, row | {"labels": labels, "times": {}}
        case shapes.SegmentLine(document=document):
            return _SEGMENTS, row | {"parent": document}
        case shapes.EdgeLine(source=source, target=target, type=native_type):
            return _EDGES, row | {"parent": source, "target": target, "type": native_type}
        case shapes.MentionLine(segment=segment, node=None):
            return _EDGE_MENTIONS, row | {"parent": segment}
        case shapes.MentionLine(segment=segment, node=node):
            return _NODE_MENTIONS, row | {"parent": segment, "target": node}
        case shapes.OriginLinkLine(mention=mention, origin=origin):
            return _ORIGIN_LINKS, row | {"parent": mention, "target": origin}
        case shapes.UnresolvedLine(document=document):
            return _UNRESOLVED, row | {"parent": document}
        case _:
            times = {key: properties.pop(key)["datetime"] for key in ("at", "ingested_at") if key in properties}
            return _NODES, row | {"labels": [_LABELS[type(line)]], "times": times}


async def _write(database: Database, mark: Mark, batch: _Batch, *, done: int, name: str) -> None:
    async def work(transaction: Transaction) -> None:
        if await advance(transaction, mark, before=done, after=done + batch.count):
            await _create(transaction, batch.rows)
            await check_quota(transaction)

    try:
        await database.write(work)
    except _Dangling as dangling:
        line = await _find_dangling(database, batch.rows, dangling.statement)
        raise InvalidInput(
            f"{name}, line {line}: what it refers to is not in the file. Export the graph again; the tenant can't be"
            " used before a whole file is imported into it, or it is deleted."
        ) from dangling


async def _create(transaction: Transaction, rows: _Rows) -> None:
    for statement, own in rows.items():
        [row] = await transaction.run(statement, rows=own)
        if row.written != len(own):
            raise _Dangling(statement)


async def _find_dangling(database: Database, rows: _Rows, statement: Statement[_Written]) -> int:
    """The line of the first row of a statement that refers to what is not there: halves them until one is left."""
    statements = list(rows)
    before = {other: rows[other] for other in statements[: statements.index(statement)]}
    left = rows[statement]
    while len(left) > 1:
        half = left[: len(left) // 2]
        left = half if await _is_refused(database, {**before, statement: half}) else left[len(half) :]
    return int(left[0]["line"])


async def _is_refused(database: Database, rows: _Rows) -> bool:
    """Whether rows refer to what is not there; nothing of them stays."""

    async def work(transaction: Transaction) -> None:
        await _create(transaction, rows)
        raise _Probed

    try:
        await database.write(work)
    except _Probed:
        return False
    except _Dangling:
        return True
    raise AssertionError("unreachable: the work always raises")


async def _verify(database: Database, facts: Facts, name: str) -> None:
    graph_hash = await get_graph_hash(database)
    if graph_hash != facts.hash:
        raise Conflict(
            f"What {name} holds makes a graph with the hash {graph_hash}, and it says {facts.hash}: it was changed, or"
            " somebody else wrote to this tenant meanwhile. It can't be used until an import of a sound file has ended"
            " in it, which removes what is there first; or delete it."
        )
