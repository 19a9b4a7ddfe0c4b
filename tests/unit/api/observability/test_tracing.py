"""Spans: below the caller's, named by route, statements beneath; nothing without a provider."""

import pytest
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from api.http.requests import RequestMiddleware
from api.observability import tracing
from api.observability.record import note_tenant
from api.observability.statements import observe_statement


@pytest.fixture
def exporter(monkeypatch: pytest.MonkeyPatch) -> InMemorySpanExporter:
    """A provider for this test: OpenTelemetry itself can be given one only once."""
    found = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(found))
    monkeypatch.setattr(trace, "get_tracer_provider", lambda: provider)
    return found


async def ask(*headers: tuple[bytes, bytes], fail: bool = False) -> None:
    async def app(scope, receive, send) -> None:
        note_tenant("acme")
        with tracing.span("loader Nodes", keys=3), observe_statement("nodes/fetch_nodes"):
            pass
        if fail:
            raise ValueError("secret text")
        scope |= {"endpoint": app, "path_params": {"name": "7"}}
        await send({"type": "http.response.start", "status": 200, "headers": []})

    async def nothing(*_: object) -> None: ...

    scope = {"type": "http", "method": "GET", "path": "/x/7", "headers": list(headers)}
    await RequestMiddleware(app)(scope, nothing, nothing)


async def test_request_loader_and_statement_nest_below_the_caller(exporter: InMemorySpanExporter) -> None:
    parent = b"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"

    await ask((b"traceparent", parent))

    statement, loader, request = exporter.get_finished_spans()
    assert [span.name for span in (statement, loader, request)] == [
        "statement nodes/fetch_nodes",
        "loader Nodes",
        "GET /x/{name}",
    ]
    assert statement.parent.span_id == loader.context.span_id
    assert loader.parent.span_id == request.context.span_id
    assert f"{request.parent.span_id:x}" == "b7ad6b7169203331"
    assert request.attributes["http.response.status_code"] == 200
    assert request.attributes["cogniverse.tenants"] == ("acme",)
    assert statement.attributes["db.operation.name"] == "nodes/fetch_nodes"


async def test_a_fault_marks_its_span_without_its_text(exporter: InMemorySpanExporter) -> None:
    with pytest.raises(ValueError, match="secret"):
        await ask(fail=True)

    request = exporter.get_finished_spans()[-1]
    assert not request.status.is_ok
    assert "secret" not in request.to_json()


async def test_nothing_is_spent_without_a_provider() -> None:
    assert not tracing.is_tracing()
    await ask()
