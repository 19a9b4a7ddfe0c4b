"""Roles cover those below them, and tenants are matched exactly."""

import pytest

from api.auth.principal import Principal, Role, parse_role, parse_tenants
from graph.errors import Forbidden, InvalidInput
from graph.tenants import parse_tenant


@pytest.mark.parametrize(
    ("role", "allowed"),
    [
        (Role.READER, {Role.READER}),
        (Role.WRITER, {Role.READER, Role.WRITER}),
        (Role.ADMIN, {Role.READER, Role.WRITER, Role.ADMIN}),
    ],
)
def test_a_role_covers_itself_and_those_below(role: Role, allowed: set[Role]) -> None:
    principal = Principal("someone", role, ("*",))

    assert {needed for needed in Role if role.covers(needed)} == allowed
    for needed in Role:
        if needed in allowed:
            principal.require(needed)
        else:
            with pytest.raises(Forbidden, match=f"{needed}.*{role}"):
                principal.require(needed)


@pytest.mark.parametrize(
    ("tenants", "seen"),
    [
        (("*",), {"a", "A", "acme:a", "acme:b", "other:a"}),
        (("a",), {"a"}),
        (("acme:a",), {"acme:a"}),
        (("acme:*",), {"acme:a", "acme:b"}),
        (("acme:*", "A"), {"acme:a", "acme:b", "A"}),
        ((), set()),
    ],
)
def test_who_sees_which_tenants(tenants: tuple[str, ...], seen: set[str]) -> None:
    principal = Principal("someone", Role.READER, tenants)
    everybody = ("a", "A", "acme:a", "acme:b", "other:a")

    assert {name for name in everybody if principal.may_see(parse_tenant(name))} == seen


def test_tenants_are_checked_sorted_and_each_once() -> None:
    assert parse_tenants(["b", "acme:*", "b", "*", "acme:x"]) == ("*", "acme:*", "acme:x", "b")


@pytest.mark.parametrize("text", ["", "a b", "**", "*:a", "a:*:b", "a:b:*", ":*", "a*", "acme:a*", "ä"])
def test_what_is_no_tenant_is_refused(text: str) -> None:
    with pytest.raises(InvalidInput):
        parse_tenants([text])


def test_an_unknown_role_is_refused_with_the_known_ones() -> None:
    with pytest.raises(InvalidInput, match="reader, writer, admin"):
        parse_role("root")
