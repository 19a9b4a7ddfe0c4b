"""How large a request may be, by the bytes that come and not by what its headers say."""

from typing import Final

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from api.http.answers import make_error

_MULTIPART: Final = "multipart/form-data"
_CLOSE_TOO_BIG: Final = 1009  # RFC 6455, section 7.4.1


class _TooMuch(Exception):
    """More has come than may."""


class BodyLimitMiddleware:
    """Answers 413 as soon as too much has come. Forms may have `max_upload_bytes`, everything else `max_body_bytes`.

    So may each message of a WebSocket, which is closed with 1009 otherwise.
    """

    def __init__(self, app: ASGIApp, *, max_body_bytes: int, max_upload_bytes: int) -> None:
        self._app = app
        self._max_body_bytes = max_body_bytes
        self._max_upload_bytes = max_upload_bytes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on and count."""
        if scope["type"] == "http":
            await self._limit_body(scope, receive, send)
        elif scope["type"] == "websocket":
            await self._limit_messages(scope, receive, send)
        else:
            await self._app(scope, receive, send)

    async def _limit_body(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = Headers(scope=scope)
        is_form = headers.get("content-type", "").partition(";")[0].strip().lower() == _MULTIPART
        limit = self._max_upload_bytes if is_form else self._max_body_bytes
        stated = headers.get("content-length", "")
        body = _CountedBody(limit, receive, send)
        if stated.isdecimal() and int(stated) > limit:
            body.is_over = True
        else:
            try:
                await self._app(scope, body.receive, body.send)
            except Exception:
                if not body.is_over:
                    raise
        if body.is_over and not body.has_begun:
            message = f"The request is larger than {limit:,} bytes, the most that is taken: send less at once."
            await make_error(scope, status=413, code="TOO_LARGE", message=message)(scope, receive, send)

    async def _limit_messages(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def receive_counted() -> Message:
            message = await receive()
            if message["type"] == "websocket.receive" and _size(message) > self._max_body_bytes:
                await send({"type": "websocket.close", "code": _CLOSE_TOO_BIG, "reason": "message too big"})
                return {"type": "websocket.disconnect", "code": _CLOSE_TOO_BIG}
            return message

        await self._app(scope, receive_counted, send)


class _CountedBody:
    """The body of one request on its way. Once it is over the limit, no answer but ours is let out.

    Who reads the body may take our exception for one of its own, and answer or wrap it.
    """

    def __init__(self, limit: int, receive: Receive, send: Send) -> None:
        self.is_over = False
        self.has_begun = False
        self._limit = limit
        self._seen = 0
        self._receive = receive
        self._send = send

    async def receive(self) -> Message:
        message = await self._receive()
        if message["type"] == "http.request":
            self._seen += len(message.get("body", b""))
            if self._seen > self._limit:
                self.is_over = True
                raise _TooMuch
        return message

    async def send(self, message: Message) -> None:
        if self.is_over and not self.has_begun:
            return
        self.has_begun = True
        await self._send(message)


def _size(message: Message) -> int:
    text = message.get("text")
    return len(text.encode()) if text is not None else len(message.get("bytes") or b"")
