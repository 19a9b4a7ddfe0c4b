"""The schema, put together."""

from collections.abc import Callable

import strawberry
from graphql import GraphQLError
from strawberry.extensions import ParserCache, SchemaExtension, ValidationCache
from strawberry.types import ExecutionContext

from api.config import Settings
from api.graphql.errors import ProblemHandler
from api.graphql.limits import Limits
from api.graphql.masking import MaskFaults
from api.graphql.mutations import Mutation
from api.graphql.persisted import PersistedQueries, PersistedQueryLookup
from api.graphql.queries import Query
from api.graphql.subscriptions import Subscription

_CACHED_QUERIES = 500


class Schema(strawberry.Schema):
    """The schema; its errors are logged where they are masked, once."""

    def process_errors(self, errors: list[GraphQLError], execution_context: ExecutionContext | None = None) -> None:
        """Leave logging to MaskFaults."""


def make_schema(settings: Settings) -> Schema:
    """Return the schema with the limits of the settings."""
    queries = PersistedQueries(settings)
    extensions: list[Callable[[], SchemaExtension]] = [
        MaskFaults,
        lambda: PersistedQueryLookup(queries),
        lambda: Limits(settings),
        lambda: ParserCache(maxsize=_CACHED_QUERIES),
        lambda: ValidationCache(maxsize=_CACHED_QUERIES),
    ]
    return Schema(
        query=Query,
        mutation=Mutation,
        subscription=Subscription,
        extensions=extensions,
        exception_handlers=[ProblemHandler()],
    )


def print_sdl(settings: Settings) -> str:
    """Return the schema as text, for `schema.graphql`."""
    return make_schema(settings).as_str() + "\n"
