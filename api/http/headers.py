"""Headers that keep browsers from doing more with an answer than it is meant for."""

from typing import Final

from starlette.types import ASGIApp, Message, Receive, Scope, Send

_DEFAULTS: Final = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}
_RAW: Final = tuple((name.lower().encode(), value.encode()) for name, value in _DEFAULTS.items())
_STARTS: Final = ("http.response.start", "websocket.http.response.start")


class SecurityHeadersMiddleware:
    """Adds the strict default of each header that a route does not set itself, as pages and static files do."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on and add to its answer."""
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return

        async def send_guarded(message: Message) -> None:
            if message["type"] in _STARTS:
                own = [*message.get("headers", ())]
                names = {name.lower() for name, _ in own}
                message["headers"] = [*own, *(header for header in _RAW if header[0] not in names)]
            await send(message)

        await self._app(scope, receive, send_guarded)
