"""Tenants: what may be one, and that no two share a folder."""

import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graph.errors import InvalidInput
from graph.tenants import TenantId, directory_name, parse_tenant

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
