"""OpenTelemetry spans when the extra `tracing` is installed and a provider is set up, nothing otherwise.

Source: https://opentelemetry.io/docs/specs/semconv/http/http-spans/
"""

from collections.abc import Generator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

from starlette.datastructures import Headers
from starlette.types import Scope

from api.observability.record import RequestRecord
from graph.errors import NotAvailable

if TYPE_CHECKING:
    from opentelemetry.trace import Span

try:
    from opentelemetry import propagate, trace
except ImportError:
    propagate = trace = None

_SCOPE: Final = "cogniverse"
_FAULT: Final = 500


class RequestSpan:
    """The span of a request, or none."""

    def __init__(self, span: "Span | None", method: str) -> None:
        self._span = span
        self._method = method

    def end_request(self, route: str, record: RequestRecord) -> None:
        """Add what is only known at the end."""
        span = self._span
        if span is None or trace is None or not span.is_recording():
            return
        span.update_name(f"{self._method} {route}")
        span.set_attributes(
            {
                "http.route": route,
                "http.response.status_code": record.status,
                "cogniverse.request_id": record.request_id,
                "cogniverse.tenants": sorted(record.tenants),
            }
        )
        if record.cost is not None:
            span.set_attribute("cogniverse.cost", record.cost)
        if record.status >= _FAULT:
            span.set_status(trace.StatusCode.ERROR)


def configure_tracing(endpoint: str) -> None:
    """Send spans to a collector (OTLP over HTTP). Raises NotAvailable without the extra."""
    try:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
        from opentelemetry.sdk.resources import Resource
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor
    except ImportError as exc:
        raise NotAvailable("COGNIVERSE_OTLP_ENDPOINT needs OpenTelemetry: install cogniverse-graph[tracing].") from exc
    if trace is not None:
        provider = TracerProvider(resource=Resource.create({"service.name": "cogniverse-graph"}))
        provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter(endpoint=endpoint)))
        trace.set_tracer_provider(provider)


def is_tracing() -> bool:
    """Tell whether spans go anywhere, so that nothing is spent on them when they don't."""
    return trace is not None and not isinstance(trace.get_tracer_provider(), trace.ProxyTracerProvider)


@contextmanager
def span(name: str, **attributes: Any) -> Generator[None]:  # noqa: ANN401 - what OpenTelemetry takes
    """Have a span around what is done within; an exception is noted by its type alone."""
    if trace is None or not is_tracing():
        yield
        return
    with trace.get_tracer(_SCOPE).start_as_current_span(
        name, attributes=attributes, record_exception=False, set_status_on_exception=False
    ) as current:
        try:
            yield
        except Exception as exc:
            current.set_status(trace.StatusCode.ERROR, type(exc).__name__)
            raise


@contextmanager
def request_span(scope: Scope) -> Generator[RequestSpan]:
    """Have a span around a request, below that of the caller's `traceparent`."""
    method = scope.get("method", "WEBSOCKET")
    if trace is None or propagate is None or not is_tracing():
        yield RequestSpan(None, method)
        return
    with trace.get_tracer(_SCOPE).start_as_current_span(
        method,
        context=propagate.extract(dict(Headers(scope=scope))),
        kind=trace.SpanKind.SERVER,
        attributes={"http.request.method": method, "url.path": scope["path"]},
        record_exception=False,
        set_status_on_exception=False,
    ) as current:
        yield RequestSpan(current, method)
