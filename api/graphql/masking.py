"""Errors on their way out: expected ones with their code, faults as an id that the log has."""

from collections.abc import Iterator, Sequence

from graphql import GraphQLError
from strawberry.extensions import SchemaExtension
from strawberry.types import StreamExecutionResult

from api.graphql.errors import find_code
from api.observability.faults import log_fault


class MaskFaults(SchemaExtension):
    """Replaces the text of faults; callers get an id, the log the traceback with the same id."""

    def on_operation(self) -> Iterator[None]:
        """Mask what an operation ended with."""
        yield
        result = self.execution_context.result
        if result is not None and getattr(result, "errors", None):
            result.errors = self._mask(result.errors)  # type: ignore[union-attr]
        if self.execution_context.pre_execution_errors:
            self.execution_context.pre_execution_errors = self._mask(self.execution_context.pre_execution_errors)

    def on_stream_result(self, result: StreamExecutionResult) -> Iterator[None]:
        """Mask one event of a subscription."""
        # Not by its class: Strawberry and graphql-core each have a result of their own, and both come by here.
        if getattr(result, "errors", None):
            result.errors = self._mask(result.errors)  # type: ignore[union-attr]
        yield

    def _mask(self, errors: Sequence[GraphQLError]) -> list[GraphQLError]:
        return [mask_error(error, getattr(self.execution_context.context, "request_id", "")) for error in errors]


def mask_error(error: GraphQLError, request_id: str = "") -> GraphQLError:
    """Return an error that callers may see."""
    cause = error.original_error
    while isinstance(cause, GraphQLError):
        cause = cause.original_error
    if cause is None:
        return error
    code = find_code(cause)
    if code is None:
        fault = log_fault(cause, error.path, request_id=request_id)
        message, extensions = fault.message, {"code": "INTERNAL", "id": fault.fault_id}
    else:
        message, extensions = str(cause), {"code": code.value}
    return GraphQLError(
        message, nodes=error.nodes, path=error.path, extensions={**(error.extensions or {}), **extensions}
    )
