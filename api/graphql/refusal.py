"""How an operation is refused before it is executed, whichever way it came.

Source: strawberry ends an operation with `pre_execution_errors`; what its hooks raise instead gets no answer at all
over WebSocket and server-sent events.
"""

import re
from typing import Final

from graphql import GraphQLError, parse
from strawberry.types import ExecutionContext

_NAME: Final = re.compile(r"[_A-Za-z][_0-9A-Za-z]*")


def refuse(context: ExecutionContext, error: GraphQLError) -> None:
    """Have an operation end with an error; steps that are still to come find something harmless to look at."""
    context.pre_execution_errors = [error]
    name = context.operation_name if context.graphql_document is not None else _given_name(context)
    context.query = _harmless(name)
    context.graphql_document = parse(context.query)


def is_refused(context: ExecutionContext) -> bool:
    """Tell whether the operation is to end with an error."""
    return bool(context.pre_execution_errors)


def _given_name(context: ExecutionContext) -> str | None:
    return context._provided_operation_name  # noqa: SLF001 # pyright: ignore[reportPrivateUsage]


def _harmless(name: str | None) -> str:
    return f"query {name if name and _NAME.fullmatch(name) else ''} {{ __typename }}"
