"""How often each caller may come: a token bucket for each key, token's subject, or address without one."""

import ipaddress
import math
import time
from collections import OrderedDict
from collections.abc import Callable
from typing import Final

from starlette.requests import HTTPConnection
from starlette.types import ASGIApp, Receive, Scope, Send

from api.auth.access import Authenticator
from api.http.answers import make_error
from api.observability import metrics
from graph.errors import NotAvailable, Unauthenticated

_MINUTE_S: Final = 60.0
_MAX_CALLERS: Final = 20_000
_IPV6_NETWORK: Final = 64  # what one customer is given
_FREE: Final = ("/health/live", "/health/ready")


class TokenBuckets:
    """A bucket for each caller, filled at a steady rate. Full ones are forgotten; beyond `max_callers` the oldest."""

    def __init__(
        self, per_minute: int, *, max_callers: int = _MAX_CALLERS, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._size = float(per_minute)
        self._rate = per_minute / _MINUTE_S
        self._max_callers = max_callers
        self._clock = clock
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def __len__(self) -> int:
        return len(self._buckets)

    def take(self, caller: str) -> float:
        """Take a token; return 0, or the seconds until there is one."""
        now = self._clock()
        left, at = self._buckets.pop(caller, (self._size, now))
        left = min(self._size, left + (now - at) * self._rate)
        allowed = left >= 1.0
        self._buckets[caller] = (left - 1.0 if allowed else left, now)
        self._forget(now)
        return 0.0 if allowed else (1.0 - left) / self._rate

    def _forget(self, now: float) -> None:
        while self._buckets:
            _, at = next(iter(self._buckets.values()))
            if now - at < _MINUTE_S and len(self._buckets) <= self._max_callers:
                return
            self._buckets.popitem(last=False)


class RateLimitMiddleware:
    """Answers 429 with Retry-After to who comes too often. Health checks are free."""

    def __init__(self, app: ASGIApp, *, per_minute: int, authenticator: Authenticator) -> None:
        self._app = app
        self._authenticator = authenticator
        self._buckets = TokenBuckets(per_minute)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it before anything of it is read."""
        if scope["type"] not in ("http", "websocket") or scope["path"] in _FREE:
            await self._app(scope, receive, send)
            return
        wait_s = self._buckets.take(await self._name(HTTPConnection(scope)))
        if not wait_s:
            await self._app(scope, receive, send)
            return
        metrics.count_limited()
        if scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1013, "reason": "too many requests"})
            return
        seconds = math.ceil(wait_s)
        message = f"Too many requests: try again in {seconds} seconds."
        answer = make_error(
            scope, status=429, code="LIMIT_EXCEEDED", message=message, headers={"Retry-After": str(seconds)}
        )
        await answer(scope, receive, send)

    async def _name(self, connection: HTTPConnection) -> str:
        """Name the caller. Who is not known is the address: else each made-up key would have a bucket of its own."""
        try:
            return (await self._authenticator.authenticate(connection)).subject
        except (Unauthenticated, NotAvailable):
            return f"address:{_network(connection)}"


def _network(connection: HTTPConnection) -> str:
    host = connection.client.host if connection.client else ""
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return host
    if isinstance(address, ipaddress.IPv6Address) and address.ipv4_mapped is None:
        return str(ipaddress.ip_network((address, _IPV6_NETWORK), strict=False))
    return host
