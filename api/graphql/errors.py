"""Expected errors as values with a code, everything else masked."""

from collections.abc import Awaitable
from typing import TYPE_CHECKING, Annotated, Any, Final

import strawberry
from strawberry import Info
from strawberry.types.field import StrawberryField

from api.graphql.enums import ErrorCode
from graph.errors import (
    AmbiguousName,
    CogniverseError,
    Conflict,
    Forbidden,
    InvalidInput,
    LimitExceeded,
    NotAvailable,
    NotFound,
    TimedOut,
    TooLarge,
    UnsupportedFormat,
)

if TYPE_CHECKING:
    from api.graphql.nodes import Node
    from api.graphql.scope import TenantScope

_CODES: Final[tuple[tuple[type[CogniverseError], ErrorCode], ...]] = (
    (AmbiguousName, ErrorCode.AMBIGUOUS_NAME),
    (NotFound, ErrorCode.NOT_FOUND),
    (InvalidInput, ErrorCode.INVALID_INPUT),
    (UnsupportedFormat, ErrorCode.UNSUPPORTED_FORMAT),
    (TooLarge, ErrorCode.TOO_LARGE),
    (LimitExceeded, ErrorCode.LIMIT_EXCEEDED),
    (TimedOut, ErrorCode.LIMIT_EXCEEDED),
    (Conflict, ErrorCode.CONFLICT),
    (NotAvailable, ErrorCode.NOT_AVAILABLE),
    (Forbidden, ErrorCode.FORBIDDEN),
)


def find_code(exc: BaseException | None) -> ErrorCode | None:
    """Return the code of an expected error; None for one that callers must not see."""
    return next((code for kind, code in _CODES if isinstance(exc, kind)), None)


class AmbiguousInTenant(AmbiguousName):
    """An ambiguous name with the tenant in which it is one, so that its candidates can be shown as nodes."""

    def __init__(self, cause: AmbiguousName, scope: "TenantScope") -> None:
        super().__init__(cause.name, cause.candidates)
        self.scope = scope


class InvalidField(InvalidInput):
    """An input that can't be taken, with the name of its field."""

    def __init__(self, field: str, message: str) -> None:
        super().__init__(message)
        self.field = field


@strawberry.type(description="What went wrong, where, and what to do.")
class Problem:
    code: ErrorCode = strawberry.field(description="What went wrong, for programs.")
    message: str = strawberry.field(description="What happened, to what, and what to do next.")
    field: str | None = strawberry.field(default=None, description="The input field that is meant.")
    candidates: list[Annotated["Node", strawberry.lazy("api.graphql.nodes")]] | None = strawberry.field(
        default=None, description="The nodes that an ambiguous name may mean, best first."
    )


class ProblemHandler(strawberry.ExceptionHandler[CogniverseError, Problem]):
    """Turns expected errors into the Problem member of a field's union."""

    def handle(
        self,
        exception: CogniverseError,
        *,
        field: StrawberryField,  # noqa: ARG002 - the protocol's
        info: Info[Any, Any],  # noqa: ARG002
    ) -> Problem | Awaitable[Problem] | None:
        """Return the problem; None for an error that is to be masked."""
        code = find_code(exception)
        if code is None:
            return None
        return _describe(exception, code)


async def _describe(exc: CogniverseError, code: ErrorCode) -> Problem:
    candidates = await exc.scope.fetch_candidates(exc) if isinstance(exc, AmbiguousInTenant) else None
    name = exc.field if isinstance(exc, InvalidField) else None
    return Problem(code=code, message=str(exc), field=name, candidates=candidates)
