"""The facts of one Python file."""

from collections.abc import Iterable

from tree_sitter import Node

from extraction.code.facts import FileFacts
from extraction.code.languages.python_bindings import (
    extract_bindings,
    extract_declarations,
    extract_imports,
    extract_returns,
)
from extraction.code.languages.python_definitions import docstring, extract_definitions
from extraction.code.languages.python_expressions import expression
from extraction.code.languages.python_scopes import ScopeMap
from extraction.code.languages.python_uses import extract_uses
from extraction.code.parse import SourceTree
from extraction.code.segments import SEGMENT_CHARS, cut_segments

EXTRACTOR_VERSION = "2"
"""Part of every cache key: raised whenever the same text would give other facts."""


def extract_facts(path: str, text: str) -> FileFacts:
    """What a file says by itself. Takes any text: what doesn't parse is passed over and `has_errors` is true."""
    tree = SourceTree("python", text)
    scopes = ScopeMap(tree)
    extract_declarations(tree, scopes)
    definitions, drafts = extract_definitions(tree, scopes, path)
    imports = extract_imports(tree, scopes)
    extract_bindings(tree, scopes)
    extract_returns(tree, scopes)
    uses = extract_uses(tree, scopes, drafts, has_star=any(item.name == "*" for item in imports))
    exports, exports_of = _exports(tree, scopes)
    return FileFacts(
        path=path,
        length=len(text),
        description=docstring(tree, tree.root),
        first_line=_first_line(tree),
        line_count=tree.line(max(len(tree.data) - 1, 0)),
        has_errors=tree.has_nul or tree.root.has_error,
        segments=cut_segments(tree, _units(tree)),
        scopes=[scope.close() for scope in scopes.scopes],
        branches=scopes.branches,
        definitions=definitions,
        imports=imports,
        uses=uses,
        exports=exports,
        exports_of=exports_of,
    )


def _first_line(tree: SourceTree) -> tuple[int, int, int]:
    data = tree.data.removeprefix(b"\xef\xbb\xbf")
    skipped = len(tree.data) - len(data)
    stripped = data.lstrip()
    if not stripped:
        return (0, 0, 1)
    start = skipped + len(data) - len(stripped)
    line = stripped.split(b"\n", 1)[0].rstrip()[:300]
    end = start + len(line)
    while end > start and end < len(tree.data) and (tree.data[end] & 0xC0) == 0x80:
        end -= 1
    return (tree.char(start), tree.char(end), tree.line(start))


def _units(tree: SourceTree) -> Iterable[int]:
    """The starts of lines at which a segment may begin, rising."""
    if len(tree.data) <= SEGMENT_CHARS:
        return
    for start, node in _statements(tree, tree.root):
        yield start
        inner = node.child_by_field_name("definition") or node
        if inner.type == "class_definition" and node.end_byte - node.start_byte > SEGMENT_CHARS:
            body = inner.child_by_field_name("body")
            if body is not None:
                yield from (member for member, _ in _statements(tree, body) if member > start)


def _statements(tree: SourceTree, block: Node) -> Iterable[tuple[int, Node]]:
    """Statements with the start of their first line, comments in front of them included."""
    comment: int | None = None
    last_end = -1
    for node in block.named_children:
        start = tree.line_start(node.start_byte)
        own_line = start >= last_end and not tree.data[start : node.start_byte].strip(b" \t\f\xef\xbb\xbf")
        last_end = node.end_byte
        if node.type == "comment":
            comment = start if comment is None and own_line else comment
        elif own_line:
            yield (start if comment is None else comment), node
            comment = None


def _exports(tree: SourceTree, scopes: ScopeMap) -> tuple[list[str] | None, list[str]]:
    if b"__all__" not in tree.data:
        return None, []
    names: list[str] = []
    others: list[str] = []
    found = False
    for node in (*tree.of("assignment"), *tree.of("augmented"), *tree.of("call")):
        left = node.child_by_field_name("left") or node.child_by_field_name("function")
        if left is None or not tree.data.startswith(b"__all__", left.start_byte) or scopes.at(left.start_byte)[0]:
            continue
        value = node.child_by_field_name("right") or node.child_by_field_name("arguments")
        found = found or left.end_byte - left.start_byte == len("__all__")
        if value is not None:
            _listed(tree, value, names=names, others=others)
    return (names if found else None), others


def _listed(tree: SourceTree, value: Node, *, names: list[str], others: list[str]) -> None:
    waiting = [value]
    while waiting:
        node = waiting.pop()
        if node.type == "string":
            names.append(tree.text(node.start_byte, node.end_byte).strip("\"'rRuU"))
        elif node.type == "attribute":
            owner, _, last = expression(tree, node).rpartition(".")
            if last == "__all__":
                others.append(owner)
        elif node.type in (
            "list",
            "tuple",
            "binary_operator",
            "argument_list",
            "list_splat",
            "parenthesized_expression",
        ):
            waiting += reversed(node.named_children)
