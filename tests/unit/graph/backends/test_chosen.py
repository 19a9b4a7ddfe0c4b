"""A server whose tenants came with one back end isn't used with the other."""

import pytest

from graph.backends.chosen import check_records
from graph.backends.registry import TenantRow
from graph.errors import NotAvailable
from graph.tenants import database_name, parse_tenant

OWN = TenantRow("acme", database_name(parse_tenant("acme"), 2), 2, "", "READY", 0)
ONLY = TenantRow("default", "home", 0, "", "READY", 0)
GONE = TenantRow("old", database_name(parse_tenant("old")), 0, "", "GONE", 0)


def test_tenants_go_with_the_back_end_that_made_them() -> None:
    check_records([OWN, GONE], "multi", refusal=None)
    check_records([ONLY, GONE], "single", refusal=None)
    check_records([], "multi", refusal=None)


def test_a_graph_in_the_home_database_is_not_passed_over() -> None:
    with pytest.raises(NotAvailable, match=r"graph of the tenant default.*COGNIVERSE_BACKEND to single"):
        check_records([ONLY], "multi", refusal=None)


def test_databases_of_tenants_are_not_passed_over() -> None:
    with pytest.raises(NotAvailable, match=r"acme.*may not make databases"):
        check_records([OWN], "single", refusal="The user may not make databases.")
    with pytest.raises(NotAvailable, match=r"acme.*COGNIVERSE_BACKEND to multi"):
        check_records([OWN], "single", refusal=None)
