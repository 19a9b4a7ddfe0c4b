"""What a query would cost, found from its text and variables before anything is executed.

Every value that may be returned counts 1, so lists multiply what is below them: by `first` where the list or what
holds it has one, else by 10. Fields that make the database work count more. Fragments count each time they are
spread, and are looked into once.
"""

# graphql-core leaves the parameters of its generic types open.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
# pyright: reportUnknownParameterType=false

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from graphql import (
    DocumentNode,
    FieldNode,
    FragmentDefinitionNode,
    FragmentSpreadNode,
    GraphQLField,
    GraphQLInterfaceType,
    GraphQLObjectType,
    GraphQLSchema,
    InlineFragmentNode,
    IntValueNode,
    ListValueNode,
    OperationDefinitionNode,
    SelectionSetNode,
    VariableNode,
    get_named_type,
    get_nullable_type,
    is_composite_type,
    is_list_type,
)

_DEFAULT_ITEMS: Final = 10
_CEILING: Final = 10**12
# By how much fields with a query of their own cost more than a value.
_WEIGHTS: Final[Mapping[str, int]] = {
    "Connection.totalCount": 20,
    "GraphStats.topNodes": 100,
    "Node.community": 50,
    "Query.compareTenants": 500,
    "Query.federatedSearch": 50,
    "Tenant.communities": 500,
    "Tenant.duplicates": 2_000,
    "Tenant.export": 5_000,
    "Tenant.hubs": 200,
    "Tenant.neighbors": 50,
    "Tenant.path": 100,
    "Tenant.quota": 50,
    "Tenant.search": 50,
    "Tenant.searchSegments": 50,
    "Tenant.stats": 100,
}


@dataclass(frozen=True, slots=True)
class QueryCost:
    """How deep a query goes, how many aliases it has, and how many values it may return, weighted."""

    depth: int = 0
    aliases: int = 0
    cost: int = 0


@dataclass(slots=True)
class CostMeter:
    """Measures one operation. Unknown fields count nothing: validation refuses them."""

    schema: GraphQLSchema
    document: DocumentNode
    variables: Mapping[str, Any]
    _fragments: dict[str, FragmentDefinitionNode] = field(default_factory=dict[str, FragmentDefinitionNode])
    _known: dict[tuple[str, str, int | None], QueryCost] = field(
        default_factory=dict[tuple[str, str, int | None], QueryCost]
    )
    _open: set[str] = field(default_factory=set[str])

    def measure(self, operation_name: str | None) -> QueryCost:
        """Return what the operation of that name, or the only one, costs; nothing when there is none."""
        operations: list[OperationDefinitionNode] = []
        for definition in self.document.definitions:
            if isinstance(definition, FragmentDefinitionNode):
                self._fragments[definition.name.value] = definition
            elif isinstance(definition, OperationDefinitionNode):
                operations.append(definition)
        chosen = [
            one for one in operations if operation_name is None or (one.name and one.name.value == operation_name)
        ]
        if not chosen:
            return QueryCost()
        defaults = {
            one.variable.name.value: one.default_value
            for one in chosen[0].variable_definitions or ()
            if one.default_value
        }
        self.variables = {**{name: _literal(value) for name, value in defaults.items()}, **self.variables}
        root = self.schema.get_root_type(chosen[0].operation)
        return QueryCost() if root is None else self._selection(chosen[0].selection_set, root, None)

    def _selection(self, selections: SelectionSetNode, parent: Any, size: int | None) -> QueryCost:
        depth = aliases = cost = 0
        for selection in selections.selections:
            match selection:
                case FieldNode():
                    part = self._field(selection, parent, size)
                case FragmentSpreadNode():
                    part = self._spread(selection.name.value, size)
                case InlineFragmentNode():
                    condition = selection.type_condition
                    inner = self.schema.get_type(condition.name.value) if condition else parent
                    part = self._selection(selection.selection_set, inner, size) if inner else QueryCost()
                case _:
                    part = QueryCost()
            depth, aliases, cost = max(depth, part.depth), aliases + part.aliases, cost + part.cost
        return QueryCost(depth, aliases, min(cost, _CEILING))

    def _spread(self, name: str, size: int | None) -> QueryCost:
        fragment = self._fragments.get(name)
        if fragment is None or name in self._open:
            return QueryCost()
        key = (name, fragment.type_condition.name.value, size)
        if key not in self._known:
            inner = self.schema.get_type(key[1])
            self._open.add(name)
            self._known[key] = self._selection(fragment.selection_set, inner, size) if inner else QueryCost()
            self._open.discard(name)
        return self._known[key]

    def _field(self, node: FieldNode, parent: Any, size: int | None) -> QueryCost:
        aliases = 1 if node.alias else 0
        name = node.name.value
        definition = self._definition(parent, name)
        if definition is None:
            inner = QueryCost()
            if node.selection_set:  # unknown, yet its depth and aliases are still limited
                inner = self._selection(node.selection_set, parent, None)
            return QueryCost(inner.depth + 1, aliases + inner.aliases, 1)
        own_size = self._first(node, definition)
        is_list = is_list_type(get_nullable_type(definition.type))
        count = own_size if own_size is not None else (size if size is not None else _DEFAULT_ITEMS)
        named = get_named_type(definition.type)
        weight = _weight(parent.name, name) * self._tenants(node)
        if node.selection_set is None or not is_composite_type(named):
            return QueryCost(1, aliases, 1 + weight)
        inner = self._selection(node.selection_set, named, None if is_list else own_size)
        items = (count if is_list else 1) * self._tenants(node)
        return QueryCost(inner.depth + 1, aliases + inner.aliases, min(weight + items * (1 + inner.cost), _CEILING))

    def _definition(self, parent: Any, name: str) -> GraphQLField | None:
        if isinstance(parent, GraphQLObjectType | GraphQLInterfaceType):
            return self.schema.get_field(parent, name)
        return None

    def _first(self, node: FieldNode, definition: GraphQLField) -> int | None:
        argument = definition.args.get("first")
        if argument is None:
            return None
        given = next((self._value(one.value) for one in node.arguments or () if one.name.value == "first"), None)
        value = given if given is not None else _default_of(argument)
        return max(value, 0) if isinstance(value, int) else _DEFAULT_ITEMS

    def _tenants(self, node: FieldNode) -> int:
        """How many tenants a field is put to."""
        given = next((self._value(one.value) for one in node.arguments or () if one.name.value == "tenants"), None)
        return max(len(given), 1) if isinstance(given, list) else 1

    def _value(self, node: Any) -> Any:
        return self.variables.get(node.name.value) if isinstance(node, VariableNode) else _literal(node)


def _literal(node: Any) -> Any:
    if isinstance(node, IntValueNode):
        return int(node.value)
    if isinstance(node, ListValueNode):
        return list(node.values)
    return None


def _default_of(argument: Any) -> Any:
    default = getattr(argument, "default", None)
    if default is not None:
        literal = getattr(default, "literal", None)
        return _literal(literal) if literal is not None else getattr(default, "value", None)
    return argument.default_value


def _weight(parent: str, name: str) -> int:
    return _WEIGHTS.get(f"{parent}.{name}") or (
        _WEIGHTS.get(f"Connection.{name}", 0) if parent.endswith("Connection") else 0
    )
