"""What is noted of a request while it is served."""

from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Final

_MAX_OPERATION: Final = 100  # a client may send anything as a name


@dataclass(slots=True)
class RequestRecord:
    """A request for the log. `cost` is that of a GraphQL query; `status` is 0 until an answer begins."""

    request_id: str
    status: int = 0
    principal: str | None = None
    operation: str | None = None
    cost: int | None = None
    statements: int = 0
    tenants: set[str] = field(default_factory=set[str])


_current: ContextVar[RequestRecord | None] = ContextVar("request_record", default=None)


@contextmanager
def recording(record: RequestRecord) -> Generator[None]:
    """Have what is noted within go into the record, tasks that are started there included."""
    token = _current.set(record)
    try:
        yield
    finally:
        _current.reset(token)


def find_record() -> RequestRecord | None:
    """Return the record of the request at hand, None outside of one."""
    return _current.get()


def note_tenant(tenant: str) -> None:
    """Note that the request uses a tenant."""
    if record := _current.get():
        record.tenants.add(tenant)


def note_principal(subject: str) -> None:
    """Note who asks."""
    if record := _current.get():
        record.principal = subject


def note_operation(name: str | None, *, cost: int | None = None) -> None:
    """Note the name of a GraphQL operation and what it costs."""
    if record := _current.get():
        record.operation, record.cost = name[:_MAX_OPERATION] if name else None, cost


def note_statement() -> None:
    """Note that a statement is sent to Neo4j."""
    if record := _current.get():
        record.statements += 1
