"""The schema keeps the contract: all of its names with their types and nullability, and a description on everything."""

from pathlib import Path

import pytest
from graphql import (
    GraphQLEnumType,
    GraphQLInputObjectType,
    GraphQLObjectType,
    GraphQLSchema,
    GraphQLUnionType,
    build_schema,
    is_introspection_type,
    is_specified_scalar_type,
)

from api.config import Settings
from api.graphql.schema import print_sdl

ROOT = Path(__file__).parents[2]
CONTRACT = build_schema((Path(__file__).parent / "contract.graphql").read_text("utf-8"))
OURS = build_schema(print_sdl(Settings()))


def contract_types(kind):
    return [one for one in CONTRACT.type_map.values() if isinstance(one, kind) and not is_introspection_type(one)]


def test_the_checked_in_schema_is_that_of_the_code() -> None:
    assert (ROOT / "api/schema.graphql").read_text("utf-8") == print_sdl(Settings()), (
        "run `cogniverse schema > api/schema.graphql`"
    )


def test_the_contract_is_read() -> None:
    assert len(contract_types(GraphQLObjectType)) > 50


@pytest.mark.parametrize("name", [one.name for one in contract_types(GraphQLObjectType)])
def test_object_type_keeps_its_fields(name: str) -> None:
    wanted, ours = CONTRACT.type_map[name], OURS.type_map[name]
    missing = {
        (field, str(definition.type))
        for field, definition in wanted.fields.items()
        if field not in ours.fields or str(ours.fields[field].type) != str(definition.type)
    }
    assert not missing
    for field, definition in wanted.fields.items():
        for argument, given in definition.args.items():
            own = ours.fields[field].args[argument]
            assert str(own.type) == str(given.type), (field, argument)
            assert default_of(own) == default_of(given), (field, argument)
        added = ours.fields[field].args.keys() - definition.args.keys()
        assert all(not is_required(ours.fields[field].args[one]) for one in added), field


@pytest.mark.parametrize("name", [one.name for one in contract_types(GraphQLInputObjectType)])
def test_input_type_keeps_its_fields(name: str) -> None:
    wanted, ours = CONTRACT.type_map[name], OURS.type_map[name]
    assert {(key, str(one.type), default_of(one)) for key, one in wanted.fields.items()} <= {
        (key, str(one.type), default_of(one)) for key, one in ours.fields.items()
    }
    assert all(not is_required(ours.fields[one]) for one in ours.fields.keys() - wanted.fields.keys())


@pytest.mark.parametrize("name", [one.name for one in contract_types(GraphQLEnumType)])
def test_enum_keeps_its_values(name: str) -> None:
    assert set(CONTRACT.type_map[name].values) == set(OURS.type_map[name].values)


@pytest.mark.parametrize("name", [one.name for one in contract_types(GraphQLUnionType)])
def test_union_keeps_its_members(name: str) -> None:
    assert {one.name for one in CONTRACT.type_map[name].types} <= {one.name for one in OURS.type_map[name].types}


def test_everything_is_described() -> None:
    assert [place for place, text in descriptions(OURS) if not text] == []


def descriptions(schema: GraphQLSchema):
    for one in schema.type_map.values():
        if is_introspection_type(one) or is_specified_scalar_type(one):
            continue
        yield one.name, one.description
        if isinstance(one, GraphQLObjectType | GraphQLInputObjectType):
            for name, field in one.fields.items():
                yield f"{one.name}.{name}", field.description
                for argument, given in getattr(field, "args", {}).items():
                    yield f"{one.name}.{name}({argument})", given.description


def default_of(given) -> object:
    """A default as text; none at all and null are the same to callers."""
    default = getattr(given, "default", None)
    if default is None:
        return "null"
    literal = getattr(default, "literal", None)
    if literal is not None:
        from graphql import print_ast

        return print_ast(literal)
    return repr(default.value)


def is_required(given) -> bool:
    return str(given.type).endswith("!") and getattr(given, "default", None) is None
