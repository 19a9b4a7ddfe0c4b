"""Errors that are answered before, or in the place of, what a request asked for."""

from collections.abc import Mapping
from typing import Any

from starlette.responses import JSONResponse
from starlette.types import Scope


def make_error(
    scope: Scope, *, status: int, code: str, message: str, headers: Mapping[str, str] | None = None
) -> JSONResponse:
    """Return an error as the asked endpoint words them: GraphQL as it is specified, everything else as REST does."""
    body: dict[str, Any]
    if scope["path"].rstrip("/").endswith("/graphql"):
        body = {"errors": [{"message": message, "extensions": {"code": code}}]}
    else:
        body = {"error": {"code": code, "message": message, "candidates": []}}
    return JSONResponse(body, status_code=status, headers=headers)
