"""Limits of a query, enforced before it is validated and long before the database hears of it."""

from collections.abc import Iterator
from typing import Any

from graphql import DocumentNode, GraphQLError, NoSchemaIntrospectionCustomRule, OperationDefinitionNode
from strawberry.extensions import SchemaExtension
from strawberry.types import ExecutionContext

from api.config import Settings
from api.graphql.cost import CostMeter, QueryCost
from api.graphql.documents import Documents
from api.graphql.enums import ErrorCode
from api.graphql.refusal import is_refused, refuse
from api.observability.record import note_operation


class Limits(SchemaExtension):
    """Reads a query and refuses what is too long, too deep, has too many aliases or costs too much.

    The cost is in each answer's extensions.
    """

    def __init__(self, settings: Settings, documents: Documents) -> None:
        self._settings = settings
        self._documents = documents
        self._measured: QueryCost | None = None

    def on_parse(self) -> Iterator[None]:
        """Parse within the limit of tokens."""
        context = self.execution_context
        if not is_refused(context) and context.query:
            try:
                document = context.graphql_document = self._documents.parse(context.query)
            except GraphQLError as exc:
                refuse(context, exc)
            else:
                if error := _find_ambiguity(document, context):
                    refuse(context, error)
        yield

    def on_validate(self) -> Iterator[None]:
        """Measure the parsed query, then validate it: validation itself can take long on what is too big."""
        context = self.execution_context
        document = context.graphql_document
        if not is_refused(context) and document is not None:
            schema = context.schema._schema  # noqa: SLF001 # pyright: ignore[reportAttributeAccessIssue, reportPrivateUsage, reportUnknownVariableType, reportUnknownMemberType]
            self._measured = CostMeter(schema, document, context.variables or {}).measure(context.operation_name)
            note_operation(context.operation_name, cost=self._measured.cost)
            error = self._find_excess(self._measured)
            if error is not None:
                refuse(context, error)
            else:
                errors = self._documents.validate(schema, context.query or "", document, self._rules())
                context.pre_execution_errors = list(errors)
        yield

    def get_results(self) -> dict[str, Any]:
        """Return the cost for the answer's extensions."""
        if self._measured is None:
            return {}
        return {"cost": {"requested": self._measured.cost, "limit": self._settings.max_cost}}

    def _rules(self) -> tuple[Any, ...]:
        rules = self.execution_context.validation_rules
        return rules if self._settings.allows_introspection else (*rules, NoSchemaIntrospectionCustomRule)

    def _find_excess(self, measured: QueryCost) -> GraphQLError | None:
        settings = self._settings
        for what, value, limit, advice in (
            ("nested fields", measured.depth, settings.max_depth, "ask for less at once"),
            ("aliases", measured.aliases, settings.max_aliases, "send them as several requests"),
            ("cost", measured.cost, settings.max_cost, "lower `first`, or ask for fewer fields"),
        ):
            if value > limit:
                return GraphQLError(
                    f"The query's {what} come to {value:,}; {limit:,} is the limit: {advice}.",
                    extensions={
                        "code": ErrorCode.LIMIT_EXCEEDED.value,
                        "cost": measured.cost,
                        "limit": settings.max_cost,
                    },
                )
        return None


def _find_ambiguity(document: DocumentNode, context: ExecutionContext) -> GraphQLError | None:
    """Return the error of a request that doesn't say which of its operations is meant. Source: specification, 6.1."""
    named = context._provided_operation_name is not None  # noqa: SLF001 # pyright: ignore[reportPrivateUsage]
    operations = sum(isinstance(one, OperationDefinitionNode) for one in document.definitions)
    if named or operations < 2:
        return None
    return GraphQLError("The query has several operations: say by `operationName` which is meant.")
