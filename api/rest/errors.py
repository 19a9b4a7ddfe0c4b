"""Expected errors as JSON with a status, everything else masked."""

from collections.abc import Sequence
from http import HTTPStatus
from typing import Any, Final

from fastapi import FastAPI, Request
from fastapi.encoders import jsonable_encoder
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import BaseModel, Field
from starlette.exceptions import HTTPException

from api.graphql.enums import ErrorCode
from api.graphql.errors import find_code
from api.observability.faults import log_fault
from graph.errors import AmbiguousName, CogniverseError, Unauthenticated

_STATUSES: Final = {
    ErrorCode.NOT_FOUND: 404,
    ErrorCode.AMBIGUOUS_NAME: 409,
    ErrorCode.INVALID_INPUT: 422,
    ErrorCode.UNSUPPORTED_FORMAT: 415,
    ErrorCode.TOO_LARGE: 413,
    ErrorCode.LIMIT_EXCEEDED: 429,
    ErrorCode.CONFLICT: 409,
    ErrorCode.NOT_AVAILABLE: 503,
    ErrorCode.FORBIDDEN: 403,
}


class CandidateBody(BaseModel):
    """A node that an ambiguous name may mean."""

    node_id: str
    name: str
    kind: str
    path: str | None = None
    line_start: int | None = None


class ErrorDetail(BaseModel):
    """What went wrong, and what to do."""

    code: str = Field(description="For programs, such as NOT_FOUND.")
    message: str = Field(description="What happened, to what, and what to do next.")
    candidates: list[CandidateBody] = Field(default=[], description="The nodes that an ambiguous name may mean.")


class ErrorBody(BaseModel):
    """The answer to a request that failed."""

    error: ErrorDetail


ERROR_ANSWERS: Final[dict[int | str, dict[str, Any]]] = {
    status: {"model": ErrorBody} for status in (401, *sorted({*_STATUSES.values()}), 500)
}


def handle_errors(app: FastAPI) -> None:
    """Make an application answer its errors so."""
    app.add_exception_handler(CogniverseError, _answer_expected)
    app.add_exception_handler(RequestValidationError, _answer_invalid)
    app.add_exception_handler(HTTPException, _answer_http)
    app.add_exception_handler(Exception, _answer_fault)


async def _answer_expected(request: Request, exc: Exception) -> JSONResponse:
    if isinstance(exc, Unauthenticated):
        return _answer(401, "UNAUTHENTICATED", str(exc), headers={"WWW-Authenticate": 'Bearer realm="cogniverse"'})
    code = find_code(exc)
    if code is None:
        return await _answer_fault(request, exc)
    candidates = exc.candidates if isinstance(exc, AmbiguousName) else ()
    return _answer(_STATUSES[code], str(code.value), str(exc), candidates=jsonable_encoder(list(candidates)))


async def _answer_invalid(request: Request, exc: Exception) -> JSONResponse:  # noqa: ARG001
    faults: Sequence[Any] = exc.errors() if isinstance(exc, RequestValidationError) else ()
    message = "; ".join(f"{'.'.join(str(part) for part in fault['loc'])}: {fault['msg']}" for fault in faults)
    return _answer(422, "INVALID_INPUT", f"The request can't be taken. {message}.")


async def _answer_http(request: Request, exc: Exception) -> JSONResponse:
    status = exc.status_code if isinstance(exc, HTTPException) else 400
    if status == HTTPStatus.NOT_FOUND:
        return _answer(404, "NOT_FOUND", f"There is no {request.url.path} here: /docs has what there is.")
    detail = str(exc.detail) if isinstance(exc, HTTPException) else str(exc)
    return _answer(status, "INVALID_INPUT", f"The request can't be taken. {detail}.")


async def _answer_fault(request: Request, exc: Exception) -> JSONResponse:
    return _answer(500, "INTERNAL", log_fault(exc, request.url.path).message)


def _answer(
    status: int, code: str, message: str, *, candidates: Any = (), headers: dict[str, str] | None = None
) -> JSONResponse:
    body = {"error": {"code": code, "message": message, "candidates": candidates}}
    return JSONResponse(body, status_code=status, headers=headers)
