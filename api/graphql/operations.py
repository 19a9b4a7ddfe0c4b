"""What every operation begins with, whichever way it came: a context of its own, and the time that it may take."""

from collections.abc import AsyncIterator
from dataclasses import replace

from graphql import GraphQLError
from starlette.websockets import WebSocket
from strawberry.extensions import SchemaExtension

from api.config import Settings
from api.context import RequestContext
from api.graphql.refusal import refuse
from graph.database import deadline
from graph.errors import Unauthenticated


class OwnContext(SchemaExtension):
    """Gives each operation of a connection its own loaders, and looks again whether its key still counts.

    A WebSocket lives long: what its first operation has loaded would be shown by all later ones.
    """

    async def on_operation(self) -> AsyncIterator[None]:
        """Replace the context that the connection was opened with."""
        context: RequestContext | None = self.execution_context.context
        if context is not None:
            try:
                self.execution_context.context = await _renewed(context)
            except Unauthenticated as exc:
                refuse(self.execution_context, GraphQLError(str(exc), extensions={"code": "UNAUTHENTICATED"}))
        yield


class TimeLimit(SchemaExtension):
    """Gives an operation up after a time, its statements in Neo4j included. A subscription may live on."""

    def __init__(self, settings: Settings) -> None:
        self._timeout_s = settings.query_timeout_s

    async def on_execute(self) -> AsyncIterator[None]:
        """Bound the execution. Raises TimedOut."""
        async with deadline(self._timeout_s):
            yield


async def _renewed(context: RequestContext) -> RequestContext:
    principal = context.principal
    if isinstance(context.connection, WebSocket):
        principal = await context.services.authenticator.authenticate(
            context.connection, params=context.connection_params, fresh=True
        )
    return replace(context, principal=principal, scopes={})
