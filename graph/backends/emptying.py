"""Taking all out of a database that can't be dropped: data in batches, then constraints and indexes."""

from dataclasses import dataclass
from typing import Final

from graph.backends.base import Endpoint
from graph.database import Database, Transaction, connect
from graph.statements import Nothing, Statement, load_statement

GRACE_S: Final = 3.0
"""How long to wait after the mark of a deletion: by then each process has looked at it and given up its work."""
_BATCH: Final = 10_000


@dataclass(frozen=True, slots=True)
class _Count:
    count: int


@dataclass(frozen=True, slots=True)
class _Name:
    name: str


_DELETE_SOME: Final = (
    load_statement("tenants/delete_some_relationships", _Count),
    load_statement("tenants/delete_some_nodes", _Count),
)
# Constraints first: the indexes that they own go with them.
_SCHEMA: Final = (
    (load_statement("tenants/fetch_constraints", _Name), load_statement("tenants/drop_constraint", Nothing)),
    (load_statement("tenants/fetch_indexes", _Name), load_statement("tenants/drop_index", Nothing)),
)
_KEPT: Final = frozenset({"tenant_id", "tenant_database"})
"""The constraints of the records of tenants, which a tenant's database may hold as well."""


async def empty_database(endpoint: Endpoint) -> None:
    """Remove all data and schema but the records of tenants, in flat memory. Going on after a crash does no harm."""
    async with connect(endpoint) as database:
        for statement in _DELETE_SOME:
            while await _delete_some(database, statement):
                pass
        for fetch, drop in _SCHEMA:
            for row in await database.fetch(fetch):
                if row.name not in _KEPT:
                    await database.apply(drop, name=row.name)


async def _delete_some(database: Database, statement: Statement[_Count]) -> int:
    async def work(transaction: Transaction) -> int:
        (row,) = await transaction.run(statement, limit=_BATCH)
        return row.count

    return await database.write(work)
