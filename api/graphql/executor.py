"""Executes the plain parts of a query without ceremony: attributes that are values, objects or lists of objects.

graphql-core builds a description of each field for its resolver and asks of each value whether it must be awaited. For
a field that is an attribute of its object neither is of use, and a nested answer has thousands of them. Everything
else (resolvers, arguments, nulls, wrong values) takes the ordinary way, which also makes all errors.

Source: GraphQL specification, sections "Executing fields" and "Value completion".
"""

# graphql-core leaves the parameters of its generic types open.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
# pyright: reportUnknownParameterType=false, reportMissingTypeArgument=false

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from graphql import (
    GraphQLEnumType,
    GraphQLField,
    GraphQLObjectType,
    Undefined,
    is_list_type,
    is_non_null_type,
)
from graphql.pyutils import Path, gather_with_cancel
from strawberry.schema.schema import StrawberryGraphQLCoreExecutionContext
from strawberry.schema.schema_converter import GraphQLCoreConverter
from strawberry.types.field import StrawberryField

_INT_LIMIT: Final = 2**31
_UNKNOWN: Final = object()
_PLANS: Final = "plain field plans"


@dataclass(frozen=True, slots=True)
class _Plan:
    """How a plain field is answered: a leaf by `convert`, objects by `item_type`, alone or in a list."""

    attribute: str
    convert: Callable[[Any], Any] | None = None
    item_type: GraphQLObjectType | None = None
    is_list: bool = False


class PlainFieldExecutor(StrawberryGraphQLCoreExecutionContext):
    """An executor that takes the short way wherever a field is plain."""

    def execute_fields(
        self,
        parent_type: GraphQLObjectType,
        source_value: Any,
        path: Path | None,
        grouped_field_set: Any,
        position_context: Any,
    ) -> Any:
        """Execute the fields of an object; a coroutine when some of them must be awaited."""
        results: dict[str, Any] = {}
        awaited: list[str] = []
        is_awaitable = self.is_awaitable
        plans = _plans_of(parent_type)
        try:
            for response_name, details in grouped_field_set.items():
                name = details[0].node.name.value
                plan = plans[name] if name in plans else _remember(plans, parent_type, name)
                if plan is not None:
                    result = self._execute_plain(
                        plan, parent_type, source_value, path, response_name, details, position_context
                    )
                    if plan.convert is not None and result is not _UNKNOWN:
                        results[response_name] = result
                        continue
                else:
                    result = _UNKNOWN
                if result is _UNKNOWN:
                    field_path = Path(path, response_name, parent_type.name)
                    result = self.execute_field(parent_type, source_value, details, field_path, position_context)
                if result is not Undefined:
                    results[response_name] = result
                    if is_awaitable(result):
                        awaited.append(response_name)
        except Exception:
            if awaited:
                self.settle_in_background([results[name] for name in awaited])
            raise
        return self._await_fields(results, awaited) if awaited else results

    async def _await_fields(self, results: dict[str, Any], awaited: list[str]) -> dict[str, Any]:
        if len(awaited) == 1:
            results[awaited[0]] = await results[awaited[0]]
        else:
            values = await gather_with_cancel(*(results[name] for name in awaited))
            results.update(zip(awaited, values, strict=True))
        return results

    def _execute_plain(
        self,
        plan: _Plan,
        parent_type: GraphQLObjectType,
        source: Any,
        path: Path | None,
        response_name: str,
        details: Any,
        position_context: Any,
    ) -> Any:
        """Return a plain field's answer, or _UNKNOWN where only the ordinary way knows what to do."""
        value = getattr(source, plan.attribute, _UNKNOWN)
        if plan.convert is not None:
            return plan.convert(value)
        item_type = plan.item_type
        if item_type is None or value is None or value is _UNKNOWN:
            return _UNKNOWN
        grouped, deferred, _ = self.collect_subfields(item_type, details)
        if deferred:
            return _UNKNOWN
        field_path = Path(path, response_name, parent_type.name)
        if not plan.is_list:
            return self.execute_fields(item_type, value, field_path, grouped, position_context)
        if type(value) is not list or any(item is None for item in value):
            return _UNKNOWN
        return self._execute_items(item_type, value, field_path, grouped, position_context)

    def _execute_items(
        self, item_type: GraphQLObjectType, items: list[Any], path: Path, grouped: Any, position_context: Any
    ) -> Any:
        results: list[Any] = []
        awaited: list[int] = []
        try:
            for index, item in enumerate(items):
                result = self.execute_fields(item_type, item, Path(path, index, None), grouped, position_context)
                results.append(result)
                if type(result) is not dict:
                    awaited.append(index)
        except Exception:
            if awaited:
                self.settle_in_background([results[index] for index in awaited])
            raise
        return self._await_items(results, awaited) if awaited else results

    async def _await_items(self, results: list[Any], awaited: list[int]) -> list[Any]:
        for index, value in zip(awaited, await gather_with_cancel(*(results[index] for index in awaited)), strict=True):
            results[index] = value
        return results


def _plans_of(parent_type: GraphQLObjectType) -> dict[str, _Plan | None]:
    return parent_type.extensions.setdefault(_PLANS, {})


def _remember(plans: dict[str, _Plan | None], parent_type: GraphQLObjectType, name: str) -> _Plan | None:
    plans[name] = plan = _make_plan(parent_type.fields.get(name))
    return plan


def _make_plan(field: GraphQLField | None) -> _Plan | None:
    """Return how a field is answered by the short way; None for what has a resolver or arguments, or may be null."""
    if field is None or field.args:
        return None
    definition = field.extensions.get(GraphQLCoreConverter.DEFINITION_BACKREF)
    if not isinstance(definition, StrawberryField) or not definition.is_basic_field:
        return None
    nullable = not is_non_null_type(field.type)
    inner: Any = field.type
    if not nullable:
        inner = inner.of_type
    is_list = is_list_type(inner)
    if is_list:
        inner = inner.of_type
        if not is_non_null_type(inner):
            return None
        inner = inner.of_type
    if isinstance(inner, GraphQLObjectType) and not nullable:
        return _Plan(definition.python_name, item_type=inner, is_list=is_list)
    convert = _converter(inner)
    if convert is None or (is_list and inner.name not in {"String", "ID"}):
        return None
    return _Plan(definition.python_name, convert=_texts if is_list else _or_null(convert) if nullable else convert)


def _converter(leaf: Any) -> Callable[[Any], Any] | None:
    if isinstance(leaf, GraphQLEnumType):
        names = {value.value: name for name, value in leaf.values.items()}
        return lambda value: (
            names.get(getattr(value, "value", _UNKNOWN), _UNKNOWN) if type(value) is not str else _UNKNOWN
        )
    return {"String": _text, "ID": _text, "Boolean": _truth, "Int": _whole, "Float": _number}.get(
        getattr(leaf, "name", "")
    )


def _or_null(convert: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return lambda value: None if value is None else convert(value)


def _text(value: Any) -> Any:
    return value if type(value) is str else _UNKNOWN


def _texts(value: Any) -> Any:
    return value if type(value) is list and all(type(item) is str for item in value) else _UNKNOWN


def _truth(value: Any) -> Any:
    return value if type(value) is bool else _UNKNOWN


def _whole(value: Any) -> Any:
    return value if type(value) is int and -_INT_LIMIT <= value < _INT_LIMIT else _UNKNOWN


def _number(value: Any) -> Any:
    return value if type(value) is float and math.isfinite(value) else _UNKNOWN
