"""One request from first byte to last: its id, its line in the log, its numbers, its span."""

import re
import time
import uuid
from typing import Final

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from api.observability import logs, metrics, tracing
from api.observability.record import RequestRecord, recording

_SAFE_ID: Final = re.compile(rb"[A-Za-z0-9._:-]{1,128}")
_HEADER: Final = b"x-request-id"
_STARTS: Final = ("http.response.start", "websocket.accept", "websocket.http.response.start")
_UNMATCHED: Final = (404, 405)
_METHODS: Final = frozenset({"DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT"})
_CUT_OFF: Final = 499
_ACCEPTED: Final = 101
_FAULT: Final = 500


class RequestMiddleware:
    """The outermost one. The id is `scope["state"]["request_id"]` and goes back in `X-Request-ID`."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on and note how it went. A connection that ends without an answer counts as status 499."""
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        record = RequestRecord(_request_id(scope))
        scope.setdefault("state", {})["request_id"] = record.request_id

        async def send_with_id(message: Message) -> None:
            if message["type"] in _STARTS:
                record.status = message.get("status", _ACCEPTED)
                message["headers"] = [*message.get("headers", ()), (_HEADER, record.request_id.encode())]
            await send(message)

        started = time.perf_counter()
        with recording(record), tracing.request_span(scope) as span:
            try:
                await self._app(scope, receive, send_with_id)
            except Exception:
                record.status = record.status or _FAULT
                raise
            finally:
                record.status = record.status or _CUT_OFF
                _note(scope, record, time.perf_counter() - started)
                span.end_request(_route(scope, record.status), record)


def _note(scope: Scope, record: RequestRecord, seconds: float) -> None:
    method, route = _method(scope), _route(scope, record.status)
    metrics.count_request(method, route, record.status, seconds)
    logs.log_request(method, route, record, seconds)


def _request_id(scope: Scope) -> str:
    given = next((value for name, value in scope["headers"] if name == _HEADER), b"")
    return given.decode() if _SAFE_ID.fullmatch(given) else uuid.uuid4().hex


def _method(scope: Scope) -> str:
    if scope["type"] == "websocket":
        return "WEBSOCKET"
    return scope["method"] if scope["method"] in _METHODS else "OTHER"


def _route(scope: Scope, status: int) -> str:
    """Name the route, not the path: paths are endless, and may hold what belongs in no log."""
    if status in _UNMATCHED or "endpoint" not in scope:
        return "unmatched"
    known = getattr(scope.get("route"), "path", None)
    if isinstance(known, str):
        return known
    params: dict[str, object] = scope.get("path_params", {})
    names = {str(value): f"{{{name}}}" for name, value in params.items()}
    path: str = scope["path"]
    return "/".join(names.get(part, part) for part in path.split("/"))
