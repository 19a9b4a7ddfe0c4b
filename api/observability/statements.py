"""What is seen of each statement: its time among the numbers, its span, its count in the request's line."""

from collections.abc import Generator
from contextlib import contextmanager

from api.observability.metrics import timed_statement
from api.observability.record import note_statement
from api.observability.tracing import is_tracing, span


@contextmanager
def observe_statement(name: str) -> Generator[None]:
    """Observe a statement: an `Observer` for `graph.database.connect`."""
    note_statement()
    with timed_statement(name):
        if not is_tracing():
            yield
            return
        with span(f"statement {name}", **{"db.system.name": "neo4j", "db.operation.name": name}):
            yield
