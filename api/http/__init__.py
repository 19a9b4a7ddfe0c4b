"""What every request passes on its way in and out."""

from typing import Final

from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware

from api.auth.access import Authenticator
from api.config import Settings
from api.http.bodies import BodyLimitMiddleware
from api.http.faults import FaultMiddleware
from api.http.headers import SecurityHeadersMiddleware
from api.http.rates import RateLimitMiddleware
from api.http.requests import RequestMiddleware

__all__ = ["make_middleware"]

_CORS_HEADERS: Final = (
    "Accept",
    "Apollo-Require-Preflight",
    "Authorization",
    "Content-Type",
    "Last-Event-ID",
    "X-API-Key",
    "X-Request-ID",
)
_CORS_KEPT_S: Final = 600


def make_middleware(settings: Settings, authenticator: Authenticator) -> list[Middleware]:
    """Return the middleware in order, the outermost first; what is not asked for costs nothing."""
    cors = Middleware(
        CORSMiddleware,
        allow_origins=settings.cors_origins,
        allow_methods=("GET", "POST"),
        allow_headers=_CORS_HEADERS,
        expose_headers=("Retry-After", "X-Request-ID"),
        max_age=_CORS_KEPT_S,
    )
    rates = Middleware(RateLimitMiddleware, per_minute=settings.rate_limit_per_minute, authenticator=authenticator)
    return [
        Middleware(RequestMiddleware),
        Middleware(SecurityHeadersMiddleware),
        *([cors] if settings.cors_origins else []),
        Middleware(FaultMiddleware),
        *([rates] if settings.rate_limit_per_minute else []),
        Middleware(
            BodyLimitMiddleware, max_body_bytes=settings.max_body_bytes, max_upload_bytes=settings.max_upload_bytes
        ),
    ]
