"""Conditions as parameters: the normal form says what the tree says, and stays small."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graph.errors import InvalidInput
from graph.filters import (
    DOCUMENT_FIELDS,
    EDGE_FIELDS,
    MAX_TESTS,
    MAX_VALUES,
    And,
    Condition,
    Filter,
    Not,
    Or,
    Test,
    compile_condition,
)
from tests.conditions import conditions, holds

NAMES = ("a", "ab", "b", "")
NODE_TESTS = st.one_of(
    st.builds(
        Test,
        st.sampled_from(["name", "kind"]),
        st.sampled_from(["eq", "contains", "starts_with"]),
        st.sampled_from(NAMES),
    ),
    st.builds(Test, st.just("name"), st.just("in"), st.lists(st.sampled_from(NAMES), max_size=3).map(tuple)),
    st.builds(Test, st.just("degree"), st.sampled_from(["eq", "gt", "gte", "lt", "lte"]), st.integers(0, 3)),
)
ITEMS = st.fixed_dictionaries(
    {"name": st.sampled_from([*NAMES, None]), "kind": st.sampled_from(NAMES), "degree": st.integers(0, 3)}
)


def passes(compiled: Filter, item: dict[str, Any]) -> bool:
    return compiled.complement != all(
        any(
            test["negated"] != holds(Test(test["field"], test["op"], test["value"]), item)  # as the statements do
            for test in clause
        )
        for clause in compiled.clauses
    )


@given(conditions(NODE_TESTS), st.lists(ITEMS, min_size=1, max_size=5))
def test_the_normal_form_says_what_the_tree_says(condition: Condition, items: list[dict[str, Any]]) -> None:
    compiled = compile_condition(condition)

    assert [passes(compiled, item) for item in items] == [holds(condition, item) for item in items]
    assert sum(len(clause) for clause in compiled.clauses) <= MAX_TESTS


@given(conditions(NODE_TESTS), ITEMS)
def test_what_is_said_to_be_required_holds_for_all_that_passes(condition: Condition, item: dict[str, Any]) -> None:
    compiled = compile_condition(condition)
    if holds(condition, item):
        names = compiled.required("name", ("eq", "in"))
        prefixes = compiled.required("name", ("starts_with",))
        least, greatest = compiled.bounds("degree")
        assert names is None or item["name"] in names
        assert prefixes is None or item["name"].startswith(tuple(prefixes))
        assert least <= item["degree"] <= greatest


def test_nothing_passes_everything() -> None:
    assert compile_condition(None) == Filter([], complement=False)
    assert compile_condition(And(())).is_always
    assert not compile_condition(Or(())).is_always


def test_required_texts_come_from_one_clause() -> None:
    either = Or((Test("kind", "eq", "class"), Test("kind", "in", ("function", "class"))))

    assert compile_condition(either).required("kind", ("eq", "in")) == ["class", "function"]
    assert compile_condition(Not(Test("kind", "eq", "class"))).required("kind", ("eq",)) is None
    assert compile_condition(Or((either, Test("name", "eq", "x")))).required("kind", ("eq", "in")) is None


@pytest.mark.parametrize("outer", [And, Or])
def test_fifty_pairs_are_few_tests_in_either_form(outer: type[And] | type[Or]) -> None:
    inner = Or if outer is And else And
    pairs = tuple(inner((Test("name", "eq", f"n{n}"), Test("kind", "eq", f"k{n}"))) for n in range(50))

    compiled = compile_condition(outer(pairs))

    assert sum(len(clause) for clause in compiled.clauses) == 100
    assert compiled.complement == (outer is Or)


def test_what_is_big_in_both_forms_is_refused_at_once() -> None:
    pairs = [And((Test("name", "eq", f"n{n}"), Test("kind", "eq", f"k{n}"))) for n in range(12)]
    both = And((Or(tuple(pairs)), Not(Or(tuple(Not(Or((pair, Test("path", "eq", "p")))) for pair in pairs)))))
    deep: Condition = Or((Or(tuple(pairs)), And((Or(tuple(pairs)), Or(tuple(pairs[::-1]))))))

    for condition in (both, deep):
        with pytest.raises(InvalidInput, match="too big"):
            compile_condition(And((condition, Not(And((condition, Test("name", "eq", "x")))))))


def test_a_long_and_is_refused() -> None:
    with pytest.raises(InvalidInput, match="too big"):
        compile_condition(And(tuple(Test("name", "eq", str(n)) for n in range(MAX_TESTS + 1))))


def test_a_deep_condition_is_refused() -> None:
    condition: Condition = Test("name", "eq", "x")
    for _ in range(5_000):
        condition = Not(condition)

    with pytest.raises(InvalidInput, match="deep"):
        compile_condition(condition)


@pytest.mark.parametrize(
    ("test", "message"),
    [
        (Test("colour", "eq", "red"), "Unknown field 'colour'"),
        (Test("name", "gt", "a"), "can't be filtered by 'gt'"),
        (Test("document", "contains", "a"), "can't be filtered by 'contains'"),
        (Test("name", "eq", 1), "wants a text"),
        (Test("name", "eq", ("a",)), "wants a text"),
        (Test("name", "in", "a"), "wants a list"),
        (Test("name", "in", tuple("a" * (MAX_VALUES + 1))), "wants a list"),
        (Test("name", "eq", "a" * 10_001), "10,001"),
        (Test("name", "eq", "\ud800"), "half of a character"),
        (Test("name", "in", ("\ud800",)), "half of a character"),
        (Test("degree", "eq", "1"), "wants a number"),
        (Test("degree", "eq", True), "wants a number"),
        (Test("degree", "eq", float("nan")), "wants a number"),
        (Test("degree", "eq", float("inf")), "wants a number"),
        (Test("degree", "eq", 2**63), "wants a number"),
    ],
)
def test_what_does_not_fit_is_refused(test: Test, message: str) -> None:
    for condition in (test, Not(And((Or((test,)),)))):
        with pytest.raises(InvalidInput, match=message):
            compile_condition(condition)


def test_each_kind_of_item_has_its_own_fields() -> None:
    compile_condition(Test("relation", "in", ("calls",)), EDGE_FIELDS)
    compile_condition(Test("status", "eq", "DONE"), DOCUMENT_FIELDS)
    with pytest.raises(InvalidInput, match="Unknown field 'status'"):
        compile_condition(Test("status", "eq", "DONE"), EDGE_FIELDS)
