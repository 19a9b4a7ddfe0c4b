"""Limits of a query, enforced before it is validated and long before the database hears of it."""

from collections.abc import Iterator
from typing import Any

from graphql import GraphQLError, NoSchemaIntrospectionCustomRule
from strawberry.extensions import SchemaExtension

from api.config import Settings
from api.graphql.cost import CostMeter, QueryCost
from api.graphql.enums import ErrorCode
from api.observability.record import note_operation


class Limits(SchemaExtension):
    """Refuses what is too long, too deep, has too many aliases or costs too much; says the cost in each answer."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._measured: QueryCost | None = None

    def on_operation(self) -> Iterator[None]:
        """Bound the parser, and let introspection be refused."""
        settings = self._settings
        self.execution_context.parse_options["max_tokens"] = settings.max_tokens
        allowed = not settings.production if settings.introspection is None else settings.introspection
        if not allowed:
            rules = self.execution_context.validation_rules
            self.execution_context.validation_rules = (*rules, NoSchemaIntrospectionCustomRule)
        yield

    def on_validate(self) -> Iterator[None]:
        """Measure the parsed query. Validation itself can take long on what is too big."""
        context = self.execution_context
        if context.graphql_document is not None:
            schema = context.schema._schema  # noqa: SLF001 # pyright: ignore[reportAttributeAccessIssue, reportUnknownVariableType, reportUnknownMemberType, reportPrivateUsage]
            meter = CostMeter(schema, context.graphql_document, context.variables or {})
            self._measured = meter.measure(context.operation_name)
            note_operation(context.operation_name, cost=self._measured.cost)
            self._check(self._measured)
        yield

    def get_results(self) -> dict[str, Any]:
        """Return the cost for the answer's extensions."""
        if self._measured is None:
            return {}
        return {"cost": {"requested": self._measured.cost, "limit": self._settings.max_cost}}

    def _check(self, measured: QueryCost) -> None:
        settings = self._settings
        for what, value, limit, advice in (
            ("nested fields", measured.depth, settings.max_depth, "ask for less at once"),
            ("aliases", measured.aliases, settings.max_aliases, "send them as several requests"),
            ("cost", measured.cost, settings.max_cost, "lower `first`, or ask for fewer fields"),
        ):
            if value > limit:
                raise GraphQLError(
                    f"The query's {what} come to {value:,}; {limit:,} is the limit: {advice}.",
                    extensions={
                        "code": ErrorCode.LIMIT_EXCEEDED.value,
                        "cost": measured.cost,
                        "limit": settings.max_cost,
                    },
                )
