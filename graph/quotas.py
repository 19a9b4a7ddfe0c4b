"""How much a tenant may hold, kept in its own database, and what it holds.

A writer is counted after what it has written, under the lock of the one record of limits, and rolled back whole when it
has brought the tenant over one: of two writers at a limit the second sees the first. Without limits a write costs one
small read more.
"""

from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, fields
from typing import Final

from graph.database import Database, Transaction
from graph.errors import InvalidInput, LimitExceeded
from graph.rows import count_bytes
from graph.statements import Nothing, load_statement

MAX_LIMIT: Final = 2**53
"""What JSON's numbers hold exactly."""

_DOCUMENTS_AT_ONCE: Final = 500


@dataclass(frozen=True, slots=True)
class Quota:
    """The most that a tenant may hold, None where there is no limit.

    `documents` and `nodes` as they are counted by `graph.stats`, `bytes` of the documents' texts as they are stored,
    in UTF-8, and `jobs` that wait or run.
    """

    documents: int | None = None
    nodes: int | None = None
    bytes: int | None = None
    jobs: int | None = None

    @property
    def limits_contents(self) -> bool:
        """Whether anything but jobs is limited."""
        return (self.documents, self.nodes, self.bytes) != (None, None, None)


@dataclass(frozen=True, slots=True)
class Usage:
    """What a tenant holds; see Quota."""

    documents: int
    nodes: int
    bytes: int
    jobs: int


@dataclass(frozen=True, slots=True)
class Contents:
    """What a tenant holds but for jobs; see Quota. `bytes` are 0 where they are not limited."""

    documents: int
    nodes: int
    bytes: int


@dataclass(frozen=True, slots=True)
class _Counts:
    documents: int
    nodes: int


@dataclass(frozen=True, slots=True)
class _Count:
    count: int


@dataclass(frozen=True, slots=True)
class _Texts:
    document_id: str
    texts: list[str]


_WORDS: Final = {"documents": "documents", "nodes": "nodes", "bytes": "bytes of text"}

_FIND = load_statement("quotas/find_quota", Quota)
_LOCK = load_statement("quotas/lock_quota", Quota)
_SET = load_statement("quotas/set_quota", Nothing)
_COUNT_CONTENTS = load_statement("quotas/count_contents", _Counts)
_SUM_TEXTS = load_statement("quotas/sum_text_bytes", _Count)
_COUNT_JOBS = load_statement("quotas/count_active_jobs", _Count)
_UNMEASURED = load_statement("quotas/fetch_unmeasured_texts", _Texts)
_SET_BYTES = load_statement("quotas/set_text_bytes", Nothing)


async def get_quota(database: Database) -> Quota:
    """What the tenant may hold."""
    return await database.find(_FIND) or Quota()


async def set_quota(database: Database, quota: Quota) -> None:
    """Let the tenant hold so much from now on. What is there beyond it stays. Raises InvalidInput."""
    for field in fields(Quota):
        limit: int | None = getattr(quota, field.name)
        if limit is not None and not 0 <= limit <= MAX_LIMIT:
            raise InvalidInput(f"The limit of {field.name} is {limit}; it must be 0 to {MAX_LIMIT:,}, or none.")

    async def work(transaction: Transaction) -> None:
        await transaction.run(_SET, documents=quota.documents, nodes=quota.nodes, bytes=quota.bytes, jobs=quota.jobs)

    if quota.bytes is not None:
        await measure_texts(database)
    await database.write(work)


async def get_usage(database: Database) -> Usage:
    """What the tenant holds. Linear in the number of documents, whose bytes are summed."""
    await measure_texts(database)
    [counts] = await database.fetch(_COUNT_CONTENTS)
    [texts] = await database.fetch(_SUM_TEXTS)
    [jobs] = await database.fetch(_COUNT_JOBS)
    return Usage(counts.documents, counts.nodes, texts.count, jobs.count)


async def measure_texts(database: Database) -> None:
    """Let documents say how many bytes they have that don't: those that an earlier version wrote or exported."""
    while unmeasured := await database.fetch(_UNMEASURED, limit=_DOCUMENTS_AT_ONCE):
        rows = [{"document_id": one.document_id, "text_bytes": count_bytes(one.texts)} for one in unmeasured]

        async def work(transaction: Transaction, rows: Sequence[object] = rows) -> None:
            await transaction.run(_SET_BYTES, rows=rows)

        await database.write(work)


@asynccontextmanager
async def metered(transaction: Transaction) -> AsyncGenerator[None]:
    """Check, at the end, that what is written within has not brought the tenant over a limit.

    A tenant that is over one already may be written to as long as it does not grow. Raises LimitExceeded, which is to
    leave the transaction, so that nothing of it stays.
    """
    quota = await _find(transaction)
    if quota is None:
        yield
        return
    before = await _measure(transaction, quota)
    if _exceeded(quota, before):
        # Only with all other writers kept out is it known who makes it grow.
        await transaction.run(_LOCK)
        before = await _measure(transaction, quota)
    yield
    await check_quota(transaction, before=before)


async def check_quota(transaction: Transaction, *, before: Contents | None = None) -> None:
    """Raise LimitExceeded when the tenant, with what the transaction has written, holds more than it may.

    What is no more than it was `before` is let through. To be called after the last write, since other writers wait
    from then on. Costs one statement where there is no limit, and where bytes are limited a sum over all documents.
    """
    found = await transaction.run(_LOCK)
    if not found or not found[0].limits_contents:
        return
    after = await _measure(transaction, found[0])
    for name in _exceeded(found[0], after):
        now = getattr(after, name)
        if before is None or now > getattr(before, name):
            raise LimitExceeded(
                f"This tenant may hold {getattr(found[0], name):,} {_WORDS[name]} and would hold {now:,}: nothing of"
                " this write was kept, and what was there before stays. Delete what is not needed, or have the limit"
                " raised (`cogniverse tenant limit`), then do it again."
            )


async def check_jobs(transaction: Transaction) -> None:
    """Raise LimitExceeded when more jobs wait or run than may, those that the transaction has made among them."""
    found = await transaction.run(_LOCK)
    if not found or found[0].jobs is None:
        return
    [active] = await transaction.run(_COUNT_JOBS)
    if active.count > found[0].jobs:
        raise LimitExceeded(
            f"Of this tenant's jobs no more than {found[0].jobs:,} may wait or run: try again when one has ended, or"
            " have the limit raised (`cogniverse tenant limit`)."
        )


async def _find(transaction: Transaction) -> Quota | None:
    found = await transaction.run(_FIND)
    return found[0] if found and found[0].limits_contents else None


async def _measure(transaction: Transaction, quota: Quota) -> Contents:
    [counts] = await transaction.run(_COUNT_CONTENTS)
    total = 0 if quota.bytes is None else (await transaction.run(_SUM_TEXTS))[0].count
    return Contents(counts.documents, counts.nodes, total)


def _exceeded(quota: Quota, contents: Contents) -> list[str]:
    limits = {name: getattr(quota, name) for name in _WORDS}
    return [name for name, limit in limits.items() if limit is not None and getattr(contents, name) > limit]
