"""Numbers for Prometheus. No label holds a tenant, a path or anything else that has no end."""

import asyncio
import time
from collections.abc import Generator
from contextlib import contextmanager
from functools import cache
from typing import Final

from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, Counter, Histogram, generate_latest
from prometheus_client.multiprocess import MultiProcessCollector
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from api.auth.access import Authenticator
from api.observability.sharing import find_shared_metrics
from graph.errors import NotAvailable, Unauthenticated

_BUCKETS_S: Final = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)

_requests: Final = Counter("cogniverse_requests", "Requests that were answered.", ("method", "route", "status"))
_request_s: Final = Histogram(
    "cogniverse_request_duration_seconds", "Time of requests.", ("method", "route"), buckets=_BUCKETS_S
)
_limited: Final = Counter("cogniverse_rate_limited", "Requests that were refused by the rate limit.")
_statement_s: Final = Histogram(
    "cogniverse_statement_duration_seconds", "Time of statements in Neo4j.", ("statement",), buckets=_BUCKETS_S
)
_statement_errors: Final = Counter("cogniverse_statement_errors", "Statements that failed.", ("statement",))
_jobs: Final = Counter("cogniverse_jobs", "Ingestion jobs by what became of them.", ("status",))


def count_request(method: str, route: str, status: int, seconds: float) -> None:
    """Count a request that is done."""
    _requests.labels(method, route, status).inc()
    _request_s.labels(method, route).observe(seconds)


def count_limited() -> None:
    """Count a request that came too soon."""
    _limited.inc()


def count_job(status: str) -> None:
    """Count a job that has come to a status, such as DONE."""
    _jobs.labels(status).inc()


@contextmanager
def timed_statement(name: str) -> Generator[None]:
    """Time a statement by its name."""
    started = time.perf_counter()
    try:
        yield
    except Exception:
        _statement_errors.labels(name).inc()
        raise
    finally:
        _statement_histogram(name).observe(time.perf_counter() - started)


@cache
def _statement_histogram(name: str) -> Histogram:
    return _statement_s.labels(name)


async def render_metrics(request: Request) -> Response:
    """Answer with the numbers of all workers, in Prometheus' text format, to any caller that is known."""
    authenticator: Authenticator = request.app.state.services.authenticator
    try:
        await authenticator.authenticate(request)
    except (Unauthenticated, NotAvailable) as exc:
        return PlainTextResponse(f"{exc}\n", status_code=401, headers={"WWW-Authenticate": 'Bearer realm="cogniverse"'})
    return Response(await asyncio.to_thread(_collect), media_type=CONTENT_TYPE_LATEST)


def _collect() -> bytes:
    folder = find_shared_metrics()
    if folder is None:
        return generate_latest()
    registry = CollectorRegistry()
    MultiProcessCollector(registry, path=str(folder))
    return generate_latest(registry)
