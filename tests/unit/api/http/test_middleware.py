"""All middleware around a small application: what comes in, what goes out, what the log says."""

import asyncio
import json
import logging
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from fastapi import Body, FastAPI
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response, StreamingResponse
from starlette.routing import Mount, Route, WebSocketRoute
from starlette.types import Message
from starlette.websockets import WebSocket

from api.auth.access import Authenticator
from api.auth.keys import KeyStore
from api.auth.principal import Role
from api.config import Settings
from api.http import make_middleware
from api.observability.metrics import render_metrics
from api.observability.record import find_record, note_operation, note_tenant


async def echo_size(request: Request) -> Response:
    return PlainTextResponse(str(len(await request.body())))


async def form_size(request: Request) -> Response:
    async with request.form() as form:
        return PlainTextResponse(str(form["file"].size))


async def swallow(request: Request) -> Response:
    try:
        await request.body()
    except Exception:  # noqa: BLE001 - as frameworks do
        return PlainTextResponse("the reader's own answer", status_code=400)
    return PlainTextResponse("fine")


async def page(request: Request) -> Response:
    return PlainTextResponse(
        "page", headers={"Content-Security-Policy": "default-src 'self'", "Cache-Control": "public"}
    )


async def fail(request: Request) -> Response:
    raise ValueError("the secret plan of document 7")


async def fail_late(request: Request) -> Response:
    async def parts() -> AsyncIterator[bytes]:
        yield b"begun"
        raise ValueError("too late")

    return StreamingResponse(parts())


async def noted(request: Request) -> Response:
    note_tenant("acme")
    note_operation("Hubs", cost=42)
    await asyncio.gather(*(asyncio.create_task(note_in_task(name)) for name in ("b", "c")))
    return JSONResponse({"id": request.state.request_id, "seen": find_record() is not None})


async def note_in_task(name: str) -> None:
    note_tenant(name)


async def chat(websocket: WebSocket) -> None:
    await websocket.accept()
    async for text in websocket.iter_text():
        await websocket.send_text(str(len(text)))


rest = FastAPI()


@rest.post("/items/{number}")
async def items(number: int, body: dict[str, Any] = Body()) -> int:  # noqa: B008
    return len(body)


ROUTES = [
    *(Route(f"/{made.__name__}", made, methods=["GET", "POST"]) for made in (echo_size, form_size, swallow, page)),
    *(Route(f"/{made.__name__}", made) for made in (fail, fail_late, noted)),
    Route("/graphql", echo_size, methods=["POST"]),
    Route("/health/live", noted),
    Route("/metrics", render_metrics),
    WebSocketRoute("/chat", chat),
    Mount("/", rest),
]


class Served:
    """The application, and a client of it that needs no server."""

    def __init__(self, data_dir: Path, **settings: Any) -> None:
        found = Settings(data_dir=data_dir, max_body_bytes=1_000, max_upload_bytes=5_000, **settings)
        authenticator = Authenticator(found)
        self.app = Starlette(routes=ROUTES, middleware=make_middleware(found, authenticator))
        self.app.state.services = type("Services", (), {"authenticator": authenticator})
        transport = httpx.ASGITransport(self.app, raise_app_exceptions=False)
        self.client = httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1")

    async def websocket(self, *received: Message) -> list[Message]:
        """Send messages to the chat; return what it sends."""
        queue = [{"type": "websocket.connect"}, *received, {"type": "websocket.disconnect", "code": 1000}]
        sent: list[Message] = []

        async def receive() -> Message:
            return queue.pop(0)

        async def send(message: Message) -> None:
            sent.append(message)

        scope = {
            "type": "websocket",
            "path": "/chat",
            "headers": [(b"host", b"localhost")],
            "client": ("127.0.0.1", 1),
            "query_string": b"",
        }
        await self.app(scope, receive, send)
        return sent


@pytest.fixture
def served(tmp_path: Path) -> Served:
    return Served(tmp_path)


async def chunks(size: int) -> AsyncIterator[bytes]:
    for _ in range(size // 100):
        yield b"x" * 100


@pytest.mark.parametrize("path", ["/echo_size", "/graphql", "/swallow", "/items/1"])
async def test_a_body_over_the_limit_is_refused_however_it_comes(served: Served, path: str) -> None:
    for content in (b"x" * 1_001, chunks(1_100)):
        answer = await served.client.post(path, content=content, headers={"Content-Type": "application/json"})

        assert answer.status_code == 413
        assert "1,000 bytes" in answer.text
        body = answer.json()
        if path == "/graphql":
            assert body["errors"][0]["extensions"]["code"] == "TOO_LARGE"
        else:
            assert body["error"]["code"] == "TOO_LARGE"


async def test_a_body_at_the_limit_passes(served: Served) -> None:
    for content in (b"x" * 1_000, chunks(1_000)):
        assert (await served.client.post("/echo_size", content=content)).text == "1000"


async def test_a_stated_length_is_not_trusted(served: Served) -> None:
    """A client of HTTP/2 or a proxy may say less than it sends."""
    answer = await served.client.post("/echo_size", content=chunks(2_000), headers={"Content-Length": "10"})
    assert answer.status_code == 413


async def test_nothing_is_read_of_a_body_that_says_it_is_too_large(served: Served) -> None:
    async def never() -> AsyncIterator[bytes]:
        raise AssertionError("read")
        yield b""

    answer = await served.client.post("/echo_size", content=never(), headers={"Content-Length": "999999999999999999"})
    assert answer.status_code == 413


async def test_forms_have_a_limit_of_their_own(served: Served) -> None:
    passed = await served.client.post("/form_size", files={"file": b"x" * 4_000})
    refused = await served.client.post("/form_size", files={"file": b"x" * 5_000})

    assert (passed.status_code, passed.text) == (200, "4000")
    assert refused.status_code == 413


async def test_a_message_over_the_limit_closes_the_websocket(served: Served) -> None:
    sent = await served.websocket(
        {"type": "websocket.receive", "text": "x" * 1_000}, {"type": "websocket.receive", "text": "é" * 501}
    )

    assert [message["type"] for message in sent] == ["websocket.accept", "websocket.send", "websocket.close"]
    assert (sent[1]["text"], sent[2]["code"]) == ("1000", 1009)


async def test_strict_headers_unless_a_route_sets_its_own(served: Served) -> None:
    api = (await served.client.get("/noted")).headers
    page = (await served.client.get("/page")).headers

    assert api["Content-Security-Policy"].startswith("default-src 'none'")
    assert "frame-ancestors 'none'" in api["Content-Security-Policy"]
    assert api["Cache-Control"] == "no-store"
    assert (page["Content-Security-Policy"], page["Cache-Control"]) == ("default-src 'self'", "public")
    for headers in (api, page):
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert headers["Referrer-Policy"] == "no-referrer"
        assert headers["X-Frame-Options"] == "DENY"


async def test_errors_of_the_middleware_have_the_headers_too(served: Served) -> None:
    for answer in (await served.client.get("/fail"), await served.client.post("/echo_size", content=b"x" * 2_000)):
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
        assert answer.headers["X-Request-ID"]


@pytest.mark.parametrize("given", ["abc-1.2_3:4", "x" * 128])
async def test_a_safe_request_id_is_kept(served: Served, given: str) -> None:
    answer = await served.client.get("/noted", headers={"X-Request-ID": given})
    assert answer.headers["X-Request-ID"] == answer.json()["id"] == given


@pytest.mark.parametrize("given", ["", "x" * 129, "a b", 'a"b', "a\tb", "ä"])
async def test_any_other_request_id_is_replaced(served: Served, given: str) -> None:
    answer = await served.client.get("/noted", headers={"X-Request-ID": given.encode()})
    other = await served.client.get("/noted")

    assert answer.headers["X-Request-ID"] == answer.json()["id"] != given
    assert len(answer.headers["X-Request-ID"]) == 32
    assert answer.headers["X-Request-ID"] != other.headers["X-Request-ID"]


async def test_a_fault_is_masked_and_in_the_log_under_its_id(served: Served, caplog: pytest.LogCaptureFixture) -> None:
    answer = await served.client.get("/fail")

    assert answer.status_code == 500
    error = answer.json()["error"]
    assert error["code"] == "INTERNAL"
    assert "plan" not in answer.text
    fault_id = error["message"].removesuffix(".").rpartition(" ")[2]
    [record] = [record for record in caplog.records if getattr(record, "fault_id", None)]
    assert record.fault_id == fault_id
    assert record.exc_info


async def test_a_fault_after_the_answer_began_cuts_the_connection(served: Served) -> None:
    transport = httpx.ASGITransport(served.app)
    async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client:
        with pytest.raises(ValueError, match="too late"):
            await client.get("/fail_late")


async def test_one_line_for_each_request_with_what_was_noted(served: Served, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "api.access")
    await served.client.get("/noted?token=hidden", headers={"X-Request-ID": "mine"})
    await served.client.post("/items/7", json={"a": 1})
    await served.client.get("/nowhere/secret")

    lines = [record for record in caplog.records if record.name == "api.access"]
    assert [(line.method, line.route, line.status) for line in lines] == [
        ("GET", "/noted", 200),
        ("POST", "/items/{number}", 200),
        ("GET", "unmatched", 404),
    ]
    assert (lines[0].tenants, lines[0].operation, lines[0].cost) == (["acme", "b", "c"], "Hubs", 42)
    assert lines[0].duration_ms >= 0
    assert not any("hidden" in str(vars(line)) or "secret" in str(vars(line)) for line in lines)


async def test_cors_only_for_origins_that_are_set(tmp_path: Path) -> None:
    served = Served(tmp_path, cors_origins=("https://ours.example",))
    preflight = {
        "Access-Control-Request-Method": "POST",
        "Access-Control-Request-Headers": "authorization,content-type",
    }

    ours = await served.client.options("/graphql", headers={"Origin": "https://ours.example", **preflight})
    other = await served.client.options("/graphql", headers={"Origin": "https://evil.example", **preflight})
    answer = await served.client.get("/noted", headers={"Origin": "https://ours.example"})

    assert ours.headers["Access-Control-Allow-Origin"] == "https://ours.example"
    assert other.status_code == 400
    assert "Access-Control-Allow-Origin" not in other.headers
    assert answer.headers["Access-Control-Allow-Origin"] == "https://ours.example"
    assert "Access-Control-Allow-Credentials" not in answer.headers


async def test_who_comes_too_often_is_told_when_to_come_again(tmp_path: Path) -> None:
    served = Served(tmp_path, rate_limit_per_minute=3)

    answers = [await served.client.get("/noted") for _ in range(4)]
    graphql = await served.client.post("/graphql", content=b"{}")

    assert [answer.status_code for answer in answers] == [200, 200, 200, 429]
    assert 1 <= int(answers[3].headers["Retry-After"]) <= 20
    assert answers[3].json()["error"]["code"] == "LIMIT_EXCEEDED"
    assert graphql.json()["errors"][0]["extensions"]["code"] == "LIMIT_EXCEEDED"
    assert (await served.client.get("/health/live")).status_code == 200
    [closed] = await served.websocket()
    assert closed["type"] == "websocket.close"


async def test_each_key_has_its_own_share_and_made_up_keys_have_none(tmp_path: Path) -> None:
    store = KeyStore(tmp_path)
    keys = [store.create(tenants=["*"], role=Role.READER)[0] for _ in range(2)]
    served = Served(tmp_path, rate_limit_per_minute=2)

    async def ask(key: str) -> int:
        return (await served.client.get("/noted", headers={"Authorization": f"Bearer {key}"})).status_code

    assert [await ask(key) for key in keys * 3] == [200, 200, 200, 200, 429, 429]
    assert [await ask(f"cgk_{number:012x}_x") for number in range(3)] == [200, 200, 429]


async def test_metrics_count_by_route_for_known_callers_only(tmp_path: Path) -> None:
    served = Served(tmp_path)
    await served.client.post("/items/8", json={})
    await served.client.get("/nowhere/7f3a")

    text = (await served.client.get("/metrics")).text
    KeyStore(tmp_path).create(tenants=["*"], role=Role.READER)
    refused = await served.client.get("/metrics")

    assert 'cogniverse_requests_total{method="POST",route="/items/{number}",status="200"}' in text
    assert "7f3a" not in text
    assert refused.status_code == 401
    assert "cogniverse_requests" not in refused.text


async def test_lifespan_passes(tmp_path: Path) -> None:
    messages = [{"type": "lifespan.startup"}, {"type": "lifespan.shutdown"}]
    sent: list[str] = []

    async def receive() -> Message:
        return messages.pop(0)

    async def send(message: Message) -> None:
        sent.append(message["type"])

    await Served(tmp_path, rate_limit_per_minute=1).app({"type": "lifespan"}, receive, send)
    assert sent == ["lifespan.startup.complete", "lifespan.shutdown.complete"]


async def test_answers_stream_as_they_are_made(served: Served) -> None:
    """A subscription's first event must not wait for its last."""
    sent: list[Message] = []
    gate, begun = asyncio.Event(), asyncio.Event()

    async def parts() -> AsyncIterator[bytes]:
        yield b"first"
        await gate.wait()
        yield b"last"

    async def stream(request: Request) -> Response:
        return StreamingResponse(parts())

    served.app.router.routes.insert(0, Route("/stream", stream))
    body = [{"type": "http.request", "body": b"", "more_body": False}]

    async def receive() -> Message:
        return body.pop() if body else await asyncio.Event().wait()

    async def send(message: Message) -> None:
        sent.append(message)
        if message.get("body"):
            begun.set()

    scope = {
        "type": "http",
        "method": "GET",
        "path": "/stream",
        "headers": [],
        "query_string": b"",
        "client": ("::1", 1),
    }
    serving = asyncio.create_task(served.app(scope, receive, send))
    await begun.wait()

    assert sent[1]["body"] == b"first"
    assert not serving.done()
    gate.set()
    await serving
    assert json.dumps([message.get("body", b"").decode() for message in sent[1:3]]) == '["first", "last"]'
