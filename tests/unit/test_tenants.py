"""Tenants: what may be one, and that no two share a folder or a database."""

import re
import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graph.errors import InvalidInput
from graph.tenants import TenantId, database_name, directory_name, parse_tenant

PART = st.text(string.ascii_letters + string.digits + "-_.", min_size=1, max_size=63)
TENANT = st.builds(TenantId, name=PART, org=st.none() | PART)
# Names that lie close together: few letters, in both cases, with what the encoding itself uses.
CLOSE = st.text("aAbB.-_1", min_size=1, max_size=4)
CLOSE_TENANT = st.builds(TenantId, name=CLOSE, org=st.none() | CLOSE)


@given(TENANT)
def test_text_and_tenant_are_one(tenant: TenantId):
    assert parse_tenant(str(tenant)) == tenant


@given(TENANT)
def test_folder_name_is_plain_and_short(tenant: TenantId):
    name = directory_name(tenant)
    assert name == name.lower()
    assert set(name) <= set(string.ascii_lowercase + string.digits + "-_,=+")
    assert name.startswith("t-")
    assert len(name) <= 162


@given(CLOSE_TENANT, CLOSE_TENANT)
def test_two_tenants_never_share_a_folder(one: TenantId, other: TenantId):
    assert (directory_name(one) == directory_name(other)) == (one == other)


@given(TENANT, TENANT)
def test_any_two_tenants_never_share_a_folder(one: TenantId, other: TenantId):
    assert (directory_name(one) == directory_name(other)) == (one == other)


def test_known_folder_names():
    names = {text: directory_name(parse_tenant(text)) for text in ("default", "acme:prod", "Acme:prod", "..", "a.b")}
    assert names == {
        "default": "t-default",
        "acme:prod": "t-acme=prod",
        "Acme:prod": "t-acme=prod+1",
        "..": "t-,,",
        "a.b": "t-a,b",
    }


@given(TENANT, st.integers(0, 10**9))
def test_a_database_name_keeps_to_the_rules_of_neo4j(tenant: TenantId, generation: int):
    name = database_name(tenant, generation)
    assert re.fullmatch(r"[a-z][a-z0-9-]{1,61}[a-z0-9]", name)
    assert "--" not in name
    assert not name.startswith("system")


@given(CLOSE_TENANT, CLOSE_TENANT)
def test_two_tenants_never_share_a_database_even_where_case_is_ignored(one: TenantId, other: TenantId):
    assert (database_name(one).casefold() == database_name(other).casefold()) == (one == other)


@given(TENANT, TENANT, st.integers(0, 20), st.integers(0, 20))
def test_any_two_lives_of_tenants_never_share_a_database(one: TenantId, other: TenantId, first: int, second: int):
    same = one == other and first == second
    assert (database_name(one, first) == database_name(other, second)) == same


def test_known_database_names():
    names = {text: database_name(parse_tenant(text)) for text in ("default", "acme:prod", "Acme:prod", "..")}
    assert names == {
        "default": "cg-default-dc6xz3btstesuudspxiqf4thq7",
        "acme:prod": "cg-acme-prod-6lgocmlcsceulvvlklwvhmlqnh",
        "Acme:prod": "cg-acme-prod-fsg44ewgkg2h26gqxowq43vjvh",
        "..": "cg-nznszeupbyv3ddr37yf2psawdv",
    }
    assert database_name(parse_tenant("default"), 1) == "cg-default-vixi7fpymn2t7i22xwwo2fnbrc"


@pytest.mark.parametrize(
    "text",
    [
        "",
        ":",
        "a:",
        ":a",
        "a:b:c",
        "a b",
        " a",
        "a\n",
        "a/b",
        "..\\x",
        "é",
        "東京",
        "a\0",
        "a" * 64,
        "a" * 64 + ":b",
        "a+b",
    ],
)
def test_what_is_no_tenant_is_refused_with_the_rule(text: str):
    with pytest.raises(InvalidInput, match="can't be a tenant"):
        parse_tenant(text)


@given(st.text(max_size=140))
def test_any_text_is_a_tenant_or_refused(text: str):
    try:
        tenant = parse_tenant(text)
    except InvalidInput:
        return
    assert str(tenant) == text
