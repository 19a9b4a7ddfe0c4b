"""How several values become one: bindings of a name, alternatives, orders of base classes."""

from collections.abc import Iterable

from extraction.code.languages.python_values import (
    BUILTIN_RESULTS,
    CYCLE,
    NONE,
    PLAIN_BUILTINS,
    SEVERAL,
    UNTYPED,
    BuiltinValue,
    ChoiceValue,
    ElementsValue,
    InstanceValue,
    NoneValue,
    OutsideValue,
    Symbol,
    UnknownValue,
    Value,
    is_builtin_type,
)


def merged(values: list[Value], *, alternatives: bool = False) -> Value:
    """One value for all that a name is given; `alternatives` lets several definitions stand side by side."""
    left = list(dict.fromkeys(value for value in values if not isinstance(value, NoneValue)))
    if len(left) <= 1:
        return left[0] if left else NONE
    unknown = [value for value in left if isinstance(value, UnknownValue)]
    if unknown:
        return next((value for value in unknown if value != CYCLE), CYCLE)
    if alternatives and not any(isinstance(value, InstanceValue | ElementsValue) for value in left):
        return ChoiceValue(tuple(left))
    packages = {value.package if isinstance(value, OutsideValue) else None for value in left}
    if len(packages) == 1 and None not in packages:
        return left[0]
    if all(isinstance(value, BuiltinValue) and value.is_instance for value in left):
        return BuiltinValue("", is_instance=True)
    return SEVERAL


def choice_of(values: Iterable[Value]) -> Value:
    """The values of alternatives as one value; unknown as soon as one is."""
    left = list(dict.fromkeys(values))
    if len(left) == 1:
        return left[0]
    unknown = next((value for value in left if isinstance(value, UnknownValue)), None)
    return unknown or ChoiceValue(tuple(left))


def builtin_result(value: BuiltinValue) -> Value:
    """What calling a builtin gives."""
    if value.name in BUILTIN_RESULTS:
        return BuiltinValue(BUILTIN_RESULTS[value.name], is_instance=True)
    owner, dot, _ = value.name.rpartition(".")
    if dot:
        return BuiltinValue("", is_instance=True) if owner in PLAIN_BUILTINS else UNTYPED
    if is_builtin_type(value.name) and value.name not in ("type", "object", "super", "property"):
        return BuiltinValue(value.name, is_instance=True)
    return UNTYPED


def merge_orders(orders: list[tuple[Symbol, ...]]) -> list[Symbol]:
    """C3 of the parents' orders; where they contradict each other, the first that is left goes first."""
    if len(orders) <= 1:
        return list(orders[0]) if orders else []
    waiting = [list(order) for order in orders if order]
    waiting.append([order[0] for order in orders if order])
    order_of_all: list[Symbol] = []
    while waiting:
        tails = {id(symbol) for order in waiting for symbol in order[1:]}
        head = next((order[0] for order in waiting if id(order[0]) not in tails), waiting[0][0])
        order_of_all.append(head)
        waiting = [rest for order in waiting if (rest := [symbol for symbol in order if symbol is not head])]
    return order_of_all
