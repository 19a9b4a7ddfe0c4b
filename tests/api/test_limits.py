"""Limits: what is too long, deep, wide or costly is refused with its cost before the database hears of it."""

import pytest

from tests.api.conftest import TENANT, Api

NESTED = """
{ tenant(id: "%s") { nodes(first: %d) { nodes { name mentions(first: %d) { nodes {
  segment { entities(first: %d) { name } } } } } } } }
"""


async def refused(api: Api, query: str, **variables) -> dict:
    api.statements.names.clear()
    answer = await api.post(query, variables)
    assert answer.get("data") is None
    assert api.statements.names == []
    (error,) = answer["errors"]
    return error


async def test_lists_in_lists_in_lists_are_refused_with_their_cost(api: Api) -> None:
    error = await refused(api, NESTED % (TENANT, 100, 100, 100))

    assert error["extensions"]["code"] == "LIMIT_EXCEEDED"
    assert error["extensions"]["cost"] > 1_000_000
    assert f"{error['extensions']['cost']:,}" in error["message"]


async def test_list_sizes_in_variables_count(api: Api) -> None:
    query = (
        'query($n: Int!) { tenant(id: "x") { nodes(first: $n) { nodes { mentions(first: $n) { nodes '
        "{ segment { entities(first: $n) { name } } } } } } } }"
    )
    error = await refused(api, query, n=100)
    assert error["extensions"]["cost"] > 1_000_000


async def test_a_thousand_aliases_in_a_fragment_are_refused(api: Api) -> None:
    aliases = " ".join(f"a{n}: id" for n in range(1_000))
    query = f'{{ tenant(id: "{TENANT}") {{ ...many }} }} fragment many on Tenant {{ {aliases} }}'
    error = await refused(api, query)
    assert error["extensions"]["code"] == "LIMIT_EXCEEDED"
    assert "aliases" in error["message"]


async def test_fragments_that_double_each_other_are_counted_not_expanded(api: Api) -> None:
    spreads = "".join(f"fragment f{n} on Tenant {{ ...f{n + 1} ...f{n + 1} }} " for n in range(60))
    query = f'{{ tenant(id: "{TENANT}") {{ ...f0 }} }} {spreads} fragment f60 on Tenant {{ stats {{ nodes }} }}'
    error = await refused(api, query)
    assert error["extensions"]["code"] == "LIMIT_EXCEEDED"


async def test_fragments_that_form_a_ring_are_refused(api: Api) -> None:
    query = '{ tenant(id: "x") { ...a } } fragment a on Tenant { ...b } fragment b on Tenant { ...a }'
    error = await refused(api, query)
    assert "itself" in error["message"] or "spread" in error["message"]


async def test_depth_fifty_is_refused(api: Api) -> None:
    query = '{ tenant(id: "x") { node(id: "x") { ' + "neighbors(first: 1) { " * 50 + "id" + " }" * 50 + " } } }"
    error = await refused(api, query)
    assert error["extensions"]["code"] == "LIMIT_EXCEEDED"
    assert "nested" in error["message"]


async def test_a_depth_that_no_parser_stands_is_refused(api: Api) -> None:
    error = await refused(api, "{ a " * 1_300 + "}" * 1_300)
    assert "nested too deeply" in error["message"]


async def test_lists_in_a_literal_are_no_way_around_the_depth(api: Api) -> None:
    error = await refused(
        api, '{ tenant(id: "x") { nodes(where: {OR: ' + "[{OR: " * 400 + "[]" + "}]" * 400 + "}) { totalCount } } }"
    )
    assert error["message"]


async def test_too_many_tokens_are_refused_by_the_parser(api: Api) -> None:
    error = await refused(api, "{ " + "health { status } " * 5_000 + "}")
    assert "token" in error["message"].lower()


async def test_introspection_bombs_cost(api: Api) -> None:
    query = "{ __schema { types { fields { type { fields { type { fields { type { fields { name } } } } } } } } } }"
    assert (await refused(api, query))["extensions"]["code"] == "LIMIT_EXCEEDED"


async def test_the_standard_introspection_passes(api: Api) -> None:
    from graphql import get_introspection_query

    answer = await api.post(get_introspection_query())
    assert "errors" not in answer
    assert answer["data"]["__schema"]["queryType"]["name"] == "Query"


async def test_each_answer_says_what_it_cost(api: Api) -> None:
    answer = await api.post(f'{{ tenant(id: "{TENANT}") {{ id }} }}')
    assert answer["extensions"]["cost"] == {"requested": 2, "limit": api.services.settings.max_cost}


async def test_batches_are_refused(api: Api) -> None:
    response = await api.client.post("/graphql", json=[{"query": "{ health { status } }"}] * 2)
    assert response.status_code == 400


@pytest.mark.parametrize("first", [-1, 101, 2**31 - 1])
async def test_page_sizes_are_bounded(api: Api, first: int) -> None:
    answer = await api.post(f'{{ tenant(id: "{TENANT}") {{ nodes(first: {first}) {{ nodes {{ id }} }} }} }}')
    code = answer["errors"][0]["extensions"]["code"]
    assert code in {"INVALID_INPUT", "LIMIT_EXCEEDED"}


async def test_a_body_over_the_limit_is_refused(api: Api) -> None:
    response = await api.client.post("/graphql", json={"query": "#" + "x" * 1_100_000})
    assert response.status_code == 413
