"""The tenants of a server, as records in one of its databases.

A record outlives its tenant: the next tenant of that name takes the next generation, and with it another database, so
that whoever is late with the end of the old one can't harm the new one.
"""

from dataclasses import dataclass, replace
from datetime import UTC, datetime
from enum import StrEnum
from typing import Final

from graph.answers import TenantView
from graph.backends.base import Endpoint
from graph.database import Transaction, connect
from graph.statements import Nothing, Statement, load_statement
from graph.tenants import TenantId, database_name, parse_tenant

_RETRY_S: Final = 5.0
"""How long a server may be away before who asks for a tenant is told: less than a request may take."""


class TenantState(StrEnum):
    """Where a tenant is in its life."""

    CREATING = "CREATING"
    READY = "READY"
    DELETING = "DELETING"
    GONE = "GONE"


@dataclass(frozen=True, slots=True)
class TenantRow:
    """A tenant's record. `database` is that of its generation, None before the first; generations count from 0."""

    tenant_id: str
    database: str | None
    generation: int
    display_name: str
    state: str
    created_ms: int

    @property
    def has_own_database(self) -> bool:
        """Whether its database was made for it, and is not the one of a server with one."""
        return self.database == database_name(parse_tenant(self.tenant_id), self.generation)

    @property
    def is_gone(self) -> bool:
        """Whether there is no such tenant any more."""
        return self.state == TenantState.GONE

    def view(self) -> TenantView:
        """The tenant as it is shown."""
        return TenantView(
            tenant_id=self.tenant_id,
            display_name=self.display_name or self.tenant_id,
            state="PROVISIONING" if self.state == TenantState.CREATING else str(self.state),
            created_at=datetime.fromtimestamp(self.created_ms / 1000, UTC),
        )


_CONSTRAIN = (
    load_statement("tenants/constrain_ids", Nothing),
    load_statement("tenants/constrain_databases", Nothing),
)
_FIND = load_statement("tenants/find_tenant", TenantRow)
_FETCH = load_statement("tenants/fetch_tenants", TenantRow)
_LOCK = load_statement("tenants/lock_tenant", TenantRow)
_BEGIN = load_statement("tenants/begin_tenant", TenantRow)
_SET_STATE = load_statement("tenants/set_state", Nothing)


class Registry:
    """The records of all tenants. Every change holds the record, so that of callers who race one makes it."""

    def __init__(self, home: Endpoint) -> None:
        self._home = home
        self._constrained = False

    async def find(self, tenant: TenantId) -> TenantRow | None:
        """Return a tenant's record, that of one that is gone too."""
        rows = await self._read(_FIND, tenant_id=str(tenant))
        return rows[0] if rows else None

    async def fetch(self) -> list[TenantRow]:
        """Return all records, sorted by id."""
        return await self._read(_FETCH)

    async def begin(
        self, tenant: TenantId, display_name: str, *, state: TenantState, database: str | None = None
    ) -> tuple[TenantRow, bool]:
        """Return a tenant's record, and whether this call let the tenant begin; one that is there stays as it is.

        It begins in `state`, in the next generation's own database unless one is given.
        """

        async def work(transaction: Transaction) -> tuple[TenantRow, bool]:
            (row,) = await transaction.run(_LOCK, tenant_id=str(tenant), gone=TenantState.GONE)
            if row.state != TenantState.GONE:
                return row, False
            generation = row.generation + 1
            (begun,) = await transaction.run(
                _BEGIN,
                tenant_id=str(tenant),
                database=database or database_name(tenant, generation),
                generation=generation,
                display_name=display_name,
                state=state,
            )
            return begun, True

        async with connect(self._home, retry_s=_RETRY_S) as home:
            if not self._constrained:
                for statement in _CONSTRAIN:
                    await home.apply(statement)
                self._constrained = True
            return await home.write(work)

    async def move(self, row: TenantRow, after: TenantState) -> bool:
        """Bring a tenant to its next state; False when it is not as in `row` any more."""
        return await self._change(row, after, row.generation)

    async def take_back(self, row: TenantRow) -> bool:
        """Forget that a tenant began: its generation is free again. False when it is not as in `row` any more."""
        return await self._change(row, TenantState.GONE, row.generation - 1)

    async def _read(self, statement: Statement[TenantRow], **params: object) -> list[TenantRow]:
        """Read where it is written: in a cluster another member may not have heard yet of the last change."""

        async def work(transaction: Transaction) -> list[TenantRow]:
            return await transaction.run(statement, **params)

        async with connect(self._home, retry_s=_RETRY_S) as home:
            return await home.write(work)

    async def _change(self, row: TenantRow, after: TenantState, generation: int) -> bool:
        async def work(transaction: Transaction) -> bool:
            held = await _hold(transaction, row)
            if held:
                name = "" if after == TenantState.GONE else row.display_name
                await transaction.run(
                    _SET_STATE, tenant_id=row.tenant_id, state=after, generation=generation, display_name=name
                )
            return held

        async with connect(self._home, retry_s=_RETRY_S) as home:
            return await home.write(work)


async def _hold(transaction: Transaction, row: TenantRow) -> bool:
    (held,) = await transaction.run(_LOCK, tenant_id=row.tenant_id, gone=TenantState.GONE)
    return replace(held, display_name=row.display_name) == row
