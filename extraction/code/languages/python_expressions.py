"""Python expressions as short texts that can be evaluated without the file.

An expression is a root and steps: `self.mailer.send`, `make().send`, `rows[].save`. The root is a name, a literal's
type after an apostrophe (`'str`), or `?` for what can't be followed. `await` and brackets leave no trace.
"""

import re
import unicodedata

from tree_sitter import Node

from extraction.code.parse import SourceTree

UNKNOWN = "?"
_MAX_STEPS = 40
_PLAIN = re.compile(rb"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*")
_LITERALS = {
    "string": "'str",
    "concatenated_string": "'str",
    "integer": "'int",
    "float": "'float",
    "true": "'bool",
    "false": "'bool",
    "none": "'None",
    "list": "'list",
    "list_comprehension": "'list",
    "dictionary": "'dict",
    "dictionary_comprehension": "'dict",
    "set": "'set",
    "set_comprehension": "'set",
    "tuple": "'tuple",
    "comparison_operator": "'bool",
    "not_operator": "'bool",
}
_FOLLOWED = {"attribute": "object", "call": "function", "subscript": "value"}
# What `+`, `%` and `*` make of these is of their own type.
_KEEPING = frozenset({"string", "concatenated_string", "list", "binary_operator"})
_CHOICES = frozenset({"boolean_operator", "conditional_expression"})


def identifier(tree: SourceTree, node: Node) -> str:
    """An identifier as Python reads it, in NFKC."""
    text = tree.text(node.start_byte, node.end_byte)
    return text if text.isascii() else unicodedata.normalize("NFKC", text)


def expression(tree: SourceTree, node: Node) -> str:
    """The text of one expression."""
    text = tree.data[node.start_byte : node.end_byte]
    if _PLAIN.fullmatch(text):
        return "'None" if text == b"None" else text.decode("ascii")
    steps: list[str] = []
    while len(steps) < _MAX_STEPS:
        kind = node.type
        if kind == "identifier":
            return "".join((identifier(tree, node), *reversed(steps)))
        if kind in _LITERALS:
            return "".join((_LITERALS[kind], *reversed(steps)))
        inner = _step(tree, node, kind=kind, steps=steps)
        if inner is None:
            break
        node = inner
    return UNKNOWN


def choices(tree: SourceTree, node: Node) -> list[str]:
    """The expressions that a value may be: both sides of `or` and `and`, both ends of a conditional."""
    found: list[str] = []
    waiting = [node]
    while waiting and len(found) < _MAX_STEPS:
        current = waiting.pop()
        if current.type == "parenthesized_expression" and current.named_child_count == 1:
            waiting.append(current.named_child(0))
        elif current.type in _CHOICES and current.named_child_count > 1:
            waiting += (current.named_child(-1 % current.named_child_count), current.named_child(0))
        else:
            found.append(expression(tree, current))
    return found if not waiting else [UNKNOWN]


def _step(tree: SourceTree, node: Node, *, kind: str, steps: list[str]) -> Node | None:
    if kind in ("await", "parenthesized_expression"):
        return node.named_child(0) if node.named_child_count == 1 else None
    if kind == "binary_operator":
        left = node.child_by_field_name("left")
        return left if left is not None and left.type in _KEEPING else None
    field = _FOLLOWED.get(kind)
    if field is None:
        return None
    if kind == "attribute":
        name = node.child_by_field_name("attribute")
        if name is None:
            return None
        steps.append("." + identifier(tree, name))
    else:
        steps.append("()" if kind == "call" else "[]")
    return node.child_by_field_name(field)
