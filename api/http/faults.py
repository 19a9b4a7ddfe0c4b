"""Faults of our own: the log has them whole, the client an id."""

from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from api.http.answers import make_error
from api.observability.faults import log_fault


class FaultMiddleware:
    """Turns an exception that nobody expected into a masked answer, if none has begun."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on. After an answer has begun the exception goes on, so that the connection is cut."""
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        has_begun = False

        async def send_noticed(message: Message) -> None:
            nonlocal has_begun
            has_begun = True
            await send(message)

        try:
            await self._app(scope, receive, send_noticed)
        except ClientDisconnect:
            return
        except Exception as exc:
            fault = log_fault(exc, scope["path"], kind=type(exc).__name__)
            if has_begun or scope["type"] == "websocket":
                raise
            await make_error(scope, status=500, code="INTERNAL", message=fault.message)(scope, receive, send)
