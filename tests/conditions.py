"""Conditions for tests: random trees, and what they mean in plain Python."""

from typing import Any

from hypothesis import strategies as st

from graph.filters import And, Condition, Not, Or, Test


def conditions(tests: st.SearchStrategy[Test]) -> st.SearchStrategy[Condition]:
    """Trees over the given tests."""
    return st.recursive(
        tests,
        lambda inner: st.one_of(
            st.lists(inner, max_size=3).map(lambda parts: And(tuple(parts))),
            st.lists(inner, max_size=3).map(lambda parts: Or(tuple(parts))),
            inner.map(Not),
        ),
        max_leaves=8,
    )


def holds(condition: Condition | None, item: dict[str, Any]) -> bool:
    """Whether the condition holds; `document` is looked for in the item's `documents`."""
    match condition:
        case None:
            return True
        case And(parts):
            return all(holds(part, item) for part in parts)
        case Or(parts):
            return any(holds(part, item) for part in parts)
        case Not(part):
            return not holds(part, item)
        case Test("document", _, value):
            return value in item["documents"]
        case Test(field, op, value):
            return item[field] is not None and _compare(op, item[field], value)


def _compare(op: str, found: Any, value: Any) -> bool:
    return {
        "eq": lambda: found == value,
        "in": lambda: found in value,
        "contains": lambda: value in found,
        "starts_with": lambda: found.startswith(value),
        "ends_with": lambda: found.endswith(value),
        "gt": lambda: found > value,
        "gte": lambda: found >= value,
        "lt": lambda: found < value,
        "lte": lambda: found <= value,
    }[op]()
