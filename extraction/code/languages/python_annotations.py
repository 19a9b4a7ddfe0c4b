"""Type annotations, as far as they say of which class a value is."""

from collections.abc import Callable

from extraction.code.languages.python_values import (
    NONE,
    SEVERAL,
    UNTYPED,
    BuiltinValue,
    ClassValue,
    ElementsValue,
    InstanceValue,
    NoneValue,
    OutsideValue,
    UnknownValue,
    Value,
)

_ELEMENTS = frozenset(
    {
        "list",
        "List",
        "Sequence",
        "MutableSequence",
        "Iterable",
        "Iterator",
        "AsyncIterable",
        "AsyncIterator",
        "Generator",
        "AsyncGenerator",
        "set",
        "Set",
        "frozenset",
        "FrozenSet",
        "AbstractSet",
        "MutableSet",
        "Collection",
        "deque",
        "Deque",
        "tuple",
        "Tuple",
        "Reversible",
    }
)
_TRANSPARENT = frozenset(
    {
        "Annotated",
        "Final",
        "ClassVar",
        "Awaitable",
        "Required",
        "NotRequired",
        "ReadOnly",
        "InitVar",
    }
)
_UNIONS = frozenset({"Optional", "Union"})
_ABSTRACT = frozenset({"typing", "typing_extensions", "collections", "types", "abc"})
_MAX_DEPTH = 12


def read_annotation(text: str, look_up: Callable[[str], Value], *, own: Value = UNTYPED, depth: int = 0) -> Value:
    """The value that an annotation promises. `look_up` evaluates a dotted name; `own` is what `Self` means."""
    text = text.strip("\"'")
    if depth > _MAX_DEPTH or not text:
        return UNTYPED
    parts = split_top(text, "|")
    if len(parts) > 1:
        return _one_of([read_annotation(part, look_up, own=own, depth=depth + 1) for part in parts])
    name, bracket, inner = text.partition("[")
    last = name.rpartition(".")[2]
    if bracket and inner.endswith("]"):
        arguments = split_top(inner[:-1], ",")
        special = _subscripted(last, arguments, lambda part: read_annotation(part, look_up, own=own, depth=depth + 1))
        if special is not None:
            return special
    if last == "Self":
        return own
    if last == "None":
        return NONE
    return _instance(look_up(name)) if name.replace(".", "_").isidentifier() else UNTYPED


def split_top(text: str, separator: str) -> list[str]:
    """The parts between separators that stand outside all brackets."""
    parts: list[str] = []
    depth = start = 0
    for place, char in enumerate(text):
        if char in "[(":
            depth += 1
        elif char in "])":
            depth -= 1
        elif char == separator and depth == 0:
            parts.append(text[start:place])
            start = place + 1
    parts.append(text[start:])
    return [part for part in parts if part]


def _subscripted(last: str, arguments: list[str], read: Callable[[str], Value]) -> Value | None:
    if not arguments:
        return None
    if last in _UNIONS:
        return _one_of([read(argument) for argument in arguments])
    if last in _TRANSPARENT:
        return read(arguments[0])
    if last == "Coroutine":
        return read(arguments[-1])
    if last in ("type", "Type"):
        value = read(arguments[0])
        return ClassValue(value.symbol) if isinstance(value, InstanceValue) else UNTYPED
    if last in _ELEMENTS:
        if last in ("tuple", "Tuple") and not (len(arguments) > 1 and arguments[1] == "..."):
            return BuiltinValue("tuple", is_instance=True)
        return ElementsValue(read(arguments[0]))
    return None


def _one_of(values: list[Value]) -> Value:
    left = list(dict.fromkeys(value for value in values if not isinstance(value, NoneValue)))
    if len(left) == 1:
        return left[0]
    return SEVERAL if left else NONE


def _instance(value: Value) -> Value:
    if isinstance(value, ClassValue):
        return InstanceValue(value.symbol)
    if isinstance(value, OutsideValue):
        return UNTYPED if value.package in _ABSTRACT else OutsideValue(value.package, f"{value.name}()")
    if isinstance(value, BuiltinValue) and value.name != "object":
        return BuiltinValue(value.name, is_instance=True)
    return value if isinstance(value, UnknownValue) and value is SEVERAL else UNTYPED
