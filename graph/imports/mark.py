"""The mark of an import that is not finished: while a database bears it, nothing but that import may use it."""

import uuid
from dataclasses import dataclass
from typing import Final

from graph.database import Database, Transaction
from graph.errors import Conflict
from graph.statements import Nothing, load_statement

_EMPTYING: Final = -1
"""The position of an import that has not removed yet what another has left; `take_import` sets it."""

_DELETED_AT_ONCE: Final = 10_000


@dataclass(frozen=True, slots=True)
class Mark:
    """An import under way or broken off.

    `file` is how the file was called, `sha256` is of what is in it, `run` tells who is at it, and `position` is how
    many of its records are written.
    """

    file: str
    sha256: str
    run: str
    position: int


@dataclass(frozen=True, slots=True)
class _Contents:
    contents: int


@dataclass(frozen=True, slots=True)
class _Deleted:
    deleted: int


@dataclass(frozen=True, slots=True)
class _Before:
    before: int


@dataclass(frozen=True, slots=True)
class _Finished:
    finished: int


_FIND = load_statement("imports/find_import", Mark)
_CREATE = load_statement("imports/create_import", Nothing)
_TAKE = load_statement("imports/take_import", Mark)
_ADVANCE = load_statement("imports/advance_import", _Before)
_DELETE = load_statement("imports/delete_import", _Finished)
_COUNT_CONTENTS = load_statement("imports/count_contents", _Contents)
_DELETE_CONTENTS = load_statement("imports/delete_contents", _Deleted)
_LOCK = load_statement("migrations/lock_migrations", Nothing)


async def check_finished(database: Database) -> None:
    """Raise Conflict while an import into the database is not finished."""
    mark = await database.find(_FIND)
    if mark is not None:
        raise Conflict(
            f"The import of {mark.file} into this tenant is not finished, so there is no graph to use yet: run"
            " `cogniverse import` of it again, which goes on from there, or of another file, which removes what is"
            " there first; or delete the tenant."
        )


async def is_importing(database: Database) -> bool:
    """Whether an import into the database is not finished."""
    return await database.find(_FIND) is not None


async def begin_import(database: Database, *, file: str, sha256: str) -> Mark:
    """Mark the database, which must be empty but for an unfinished import.

    One of the same contents goes on at its position, what another one has written is removed. A run that is still at
    it can't write any more. Raises Conflict for a database with a graph or jobs.
    """
    run = uuid.uuid4().hex

    async def work(transaction: Transaction) -> Mark:
        await transaction.run(_LOCK)  # of two that begin at once the second finds the first one's mark
        taken = await transaction.run(_TAKE, file=file, digest=sha256, run=run)
        if taken:
            return taken[0]
        await _check_empty(transaction)
        await transaction.run(_CREATE, file=file, digest=sha256, run=run)
        return Mark(file, sha256, run, 0)

    mark = await database.write(work)
    return mark if mark.position != _EMPTYING else await _start_anew(database, mark)


async def advance(transaction: Transaction, mark: Mark, *, before: int, after: int) -> bool:
    """Move the import on together with what the transaction writes.

    False when that was done before: the answer to the commit was lost. Raises Conflict for a run that has been
    overtaken by another.
    """
    found = await transaction.run(_ADVANCE, run=mark.run, position=after)
    if not found or found[0].before not in (before, after):
        raise _overtaken(mark)
    return found[0].before == before


async def finish_import(database: Database, mark: Mark) -> None:
    """Remove the mark. Raises Conflict for a run that has been overtaken."""

    async def work(transaction: Transaction) -> None:
        [row] = await transaction.run(_DELETE, run=mark.run)
        if not row.finished:
            raise _overtaken(mark)

    await database.write(work)


async def _check_empty(transaction: Transaction) -> None:
    [row] = await transaction.run(_COUNT_CONTENTS)
    if row.contents:
        raise Conflict(
            "This tenant has a graph already, and an import needs an empty one: import into another tenant"
            " (`--tenant NAME`; it may be new), or delete this one first."
        )


async def _start_anew(database: Database, mark: Mark) -> Mark:
    async def remove(transaction: Transaction) -> int:
        await advance(transaction, mark, before=_EMPTYING, after=_EMPTYING)
        [row] = await transaction.run(_DELETE_CONTENTS, limit=_DELETED_AT_ONCE)
        return row.deleted

    async def reset(transaction: Transaction) -> None:
        await advance(transaction, mark, before=_EMPTYING, after=0)

    while await database.write(remove):
        continue
    await database.write(reset)
    return Mark(mark.file, mark.sha256, mark.run, 0)


def _overtaken(mark: Mark) -> Conflict:
    return Conflict(f"Another import into this tenant has begun meanwhile: this one of {mark.file} is given up.")
