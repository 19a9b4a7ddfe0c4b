"""What a tenant's vectors were made by, recorded with the first of them: those of two models are never mixed.

Source: index settings, https://neo4j.com/docs/cypher-manual/current/indexes/semantic-indexes/vector-indexes/
"""

import uuid
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, Protocol

from graph.database import Database, Transaction, as_vector
from graph.errors import Conflict, DatabaseFailed, InvalidInput
from graph.statements import Nothing, Statement, load_statement

SIMILARITY: Final = "cosine"
MAX_DIMENSION: Final = 4_096
"""The most numbers of a vector that Neo4j indexes."""

_CLEARED_AT_ONCE: Final = 2_000
_AWAIT_INDEXES: Final = "CALL db.awaitIndexes(300)"


class Storage(StrEnum):
    """How vectors reach the store: kept as Neo4j's own type; sent as such and kept as lists; lists all the way."""

    NATIVE = "native"
    SENT = "sent"
    LISTS = "lists"


class VectorModel(Protocol):
    """What makes vectors, as far as its name and the length of its vectors go."""

    @property
    def model(self) -> str:
        """The name under which its vectors are kept."""
        ...

    @property
    def dimension(self) -> int:
        """The length of its vectors."""
        ...


@dataclass(frozen=True, slots=True)
class VectorState:
    """What a tenant's vectors were made by. `ready` is false until their indexes are there."""

    model: str
    dimension: int
    similarity: str
    storage: str
    ready: bool


class VectorsMismatch(Conflict):
    """Vectors of another model, or of another length, than a tenant's."""


@dataclass(frozen=True, slots=True)
class _Count:
    count: int


@dataclass(frozen=True, slots=True)
class _Dimension:
    dimension: int


_FIND = load_statement("vectors/find_state", VectorState)
_ENSURE = load_statement("vectors/ensure_state", VectorState)
_SET_READY = load_statement("vectors/set_ready", Nothing)
_DELETE = load_statement("vectors/delete_state", Nothing)
_PROBE_NATIVE = load_statement("vectors/probe_native", Nothing)
_DELETE_PROBE = load_statement("vectors/delete_probe", Nothing)
_PROBE_SENT = load_statement("vectors/probe_sent", _Dimension)
_CREATE_INDEXES: Final = (
    load_statement("vectors/create_node_index", Nothing),
    load_statement("vectors/create_segment_index", Nothing),
)
_DROP_INDEXES: Final = (
    load_statement("vectors/drop_node_index", Nothing),
    load_statement("vectors/drop_segment_index", Nothing),
)
_CLEAR: Final[tuple[Statement[_Count], ...]] = (
    load_statement("vectors/clear_nodes", _Count),
    load_statement("vectors/clear_segments", _Count),
    load_statement("vectors/clear_origins", _Count),
)


async def find_vectors(database: Database) -> VectorState | None:
    """What the tenant's vectors were made by; None while it has none."""
    return await database.find(_FIND)


def find_mismatch(state: VectorState, model: str, dimension: int) -> str | None:
    """Why vectors of a model can't be compared with a tenant's; None when they can."""
    way_out = (
        f"Set COGNIVERSE_EMBEDDING_MODEL to {state.model[:200]!r}, or remove the tenant's vectors with `cogniverse "
        "graph reset-vectors`, so that they are made anew."
    )
    if state.dimension != dimension:
        return (
            f"The vectors of this graph have {state.dimension} dimensions (made by {state.model[:200]!r}), those of "
            f"{model[:200]!r} have {dimension}. {way_out}"
        )
    if state.model != model:
        return f"The vectors of this graph were made by {state.model[:200]!r}, not by {model[:200]!r}. {way_out}"
    if state.similarity != SIMILARITY:
        return (
            f"The vectors of this graph are compared by {state.similarity[:40]!r}, not by {SIMILARITY!r}. Remove the "
            "tenant's vectors, so that they are made anew."
        )
    return None


async def ensure_vectors(database: Database, *, model: str, dimension: int) -> VectorState:
    """Record the model and make the indexes, unless that is done. Raises VectorsMismatch and InvalidInput.

    Safe when several do it at once, and after a crash in the middle.
    """
    if not 1 <= dimension <= MAX_DIMENSION:
        raise InvalidInput(f"The model {model[:200]!r} makes vectors of {dimension}; Neo4j takes 1 to {MAX_DIMENSION}.")
    state = await find_vectors(database)
    if state is None or not state.ready:
        state = await _begin(database, model, dimension)
    reason = find_mismatch(state, model, dimension)
    if reason is not None:
        raise VectorsMismatch(reason)
    return state


async def reset_vectors(database: Database) -> int:
    """Remove a tenant's vectors, their indexes and the record of their model; returns how many vectors there were.

    Whatever is embedded next may be so by another model. A crash in the middle is made good by that.
    """
    await _run(database, _DELETE)
    await _drop_indexes(database)
    return await _clear(database)


async def _begin(database: Database, model: str, dimension: int) -> VectorState:
    storage = await _find_storage(database, dimension)
    record = {"model": model, "dimension": dimension, "similarity": SIMILARITY, "storage": storage.value}

    async def work(transaction: Transaction) -> VectorState:
        (state,) = await transaction.run(_ENSURE, **record)
        if not state.ready:
            # The record is locked, so one does this at a time, in transactions of their own as schema changes must be.
            await _make_indexes(database, state.dimension)
            await transaction.run(_SET_READY)
        return state

    return await database.write(work)


async def _make_indexes(database: Database, dimension: int) -> None:
    # Vectors from before the record were brought by an import or left by a crash: nobody knows what made them.
    await _drop_indexes(database)
    await _clear(database)
    options = {"indexConfig": {"vector.dimensions": dimension, "vector.similarity_function": SIMILARITY}}
    for statement in _CREATE_INDEXES:
        await _run(database, statement, options=options)
    await database.run_schema(_AWAIT_INDEXES)


async def _find_storage(database: Database, dimension: int) -> Storage:
    """Try what the server can: editions, versions and store formats differ, and no one setting says it."""
    vector = as_vector([1.0] * dimension)

    name = f"probe {uuid.uuid4()}"
    try:
        await _run(database, _PROBE_NATIVE, name=name, vector=vector)
        await _run(database, _DELETE_PROBE, name=name)
    except DatabaseFailed:
        pass
    else:
        return Storage.NATIVE
    try:
        await database.fetch(_PROBE_SENT, vector=vector)
    except DatabaseFailed:
        return Storage.LISTS
    return Storage.SENT


async def _drop_indexes(database: Database) -> None:
    for statement in _DROP_INDEXES:
        await _run(database, statement)


async def _clear(database: Database) -> int:
    removed = 0
    for statement in _CLEAR:
        while count := await _clear_some(database, statement):
            removed += count
    return removed


async def _clear_some(database: Database, statement: Statement[_Count]) -> int:
    async def work(transaction: Transaction) -> int:
        (row,) = await transaction.run(statement, limit=_CLEARED_AT_ONCE)
        return row.count

    return await database.write(work)


async def _run(database: Database, statement: Statement[Nothing], **params: object) -> None:
    async def work(transaction: Transaction) -> None:
        await transaction.run(statement, **params)

    await database.write(work)
