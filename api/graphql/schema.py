"""The schema, put together."""

from collections.abc import Callable

import strawberry
from graphql import GraphQLError
from strawberry.extensions import SchemaExtension
from strawberry.schema.config import StrawberryConfig
from strawberry.types import ExecutionContext

from api.config import Settings
from api.graphql.documents import Documents
from api.graphql.errors import ProblemHandler
from api.graphql.executor import PlainFieldExecutor
from api.graphql.limits import Limits
from api.graphql.masking import MaskFaults
from api.graphql.mutations import Mutation
from api.graphql.operations import OwnContext, TimeLimit
from api.graphql.persisted import PersistedQueries, PersistedQueryLookup
from api.graphql.queries import Query
from api.graphql.subscriptions import Subscription


class Schema(strawberry.Schema):
    """The schema; its errors are logged where they are masked, once."""

    def process_errors(self, errors: list[GraphQLError], execution_context: ExecutionContext | None = None) -> None:
        """Leave logging to MaskFaults."""


def make_schema(settings: Settings) -> Schema:
    """Return the schema with the limits of the settings."""
    queries = PersistedQueries(settings)
    documents = Documents(max_tokens=settings.max_tokens)
    extensions: list[Callable[[], SchemaExtension]] = [
        MaskFaults,
        OwnContext,
        lambda: TimeLimit(settings),
        lambda: PersistedQueryLookup(queries),
        lambda: Limits(settings, documents),
    ]
    return Schema(
        query=Query,
        mutation=Mutation,
        subscription=Subscription,
        extensions=extensions,
        execution_context_class=PlainFieldExecutor,
        config=StrawberryConfig(disable_field_suggestions=not settings.allows_introspection),
        exception_handlers=[ProblemHandler()],
    )


def print_sdl(settings: Settings) -> str:
    """Return the schema as text, for `schema.graphql`."""
    return make_schema(settings).as_str() + "\n"
