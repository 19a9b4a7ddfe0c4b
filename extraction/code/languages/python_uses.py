"""Calls, references, decorators and bases of a Python file."""

from bisect import bisect_right

from tree_sitter import Node

from extraction.code.facts import BindingKind, Use, UseKind
from extraction.code.languages.python_definitions import Draft
from extraction.code.languages.python_expressions import expression
from extraction.code.languages.python_scopes import ScopeMap
from extraction.code.parse import SourceTree

MAX_CALL = 200
"""The longest call, in characters, that is evidence as a whole; of a longer one it is what is called."""

_NAMED = (BindingKind.DEFINITION, BindingKind.IMPORT)
_CONTINUATION = b" \t\r\n\\"


def extract_uses(tree: SourceTree, scopes: ScopeMap, drafts: list[Draft], *, has_star: bool) -> list[Use]:
    """All uses, in the order of the text within each kind.

    A name or attribute that is read, outside a callee, is noted once for each scope, header and expression.
    """
    taken: set[int] = set()
    uses = _headed(tree, scopes, drafts, taken)
    reach = dict.fromkeys(taken, 1 << 62)
    uses += _calls(tree, scopes, reach)
    taken |= reach.keys()
    uses += _attributes(tree, scopes, reach)
    taken |= reach.keys()
    uses += _names(tree, scopes, taken, has_star=has_star)
    return uses


def _headed(tree: SourceTree, scopes: ScopeMap, drafts: list[Draft], taken: set[int]) -> list[Use]:
    uses: list[Use] = []
    for index, draft in enumerate(drafts):
        for decorator in draft.decorators:
            target = decorator.named_child(0) if decorator.named_child_count else None
            if target is not None:
                uses.append(_use(tree, scopes, target, UseKind.DECORATOR, definition=index))
                taken.add(target.start_byte)
        for base in _bases(draft.node):
            uses.append(_use(tree, scopes, base, UseKind.BASE, definition=index))
            taken.add(base.start_byte)
    return uses


def _bases(node: Node) -> list[Node]:
    listed = node.child_by_field_name("superclasses")
    if listed is None:
        return []
    return [child for child in listed.named_children if child.type not in ("keyword_argument", "comment")]


def _use(tree: SourceTree, scopes: ScopeMap, node: Node, kind: UseKind, *, definition: int = -1) -> Use:
    start, end = node.start_byte, node.end_byte
    scope, _ = scopes.at(start)
    text = expression(tree, node)
    place = tree.char(start), tree.char(end), tree.line(start), tree.line(end)
    return Use(kind, scope, text, *place, definition)


def _calls(tree: SourceTree, scopes: ScopeMap, reach: dict[int, int]) -> list[Use]:
    """All calls; `reach` gets the end of the longest callee at each start."""
    uses: list[Use] = []
    for node in tree.of("call"):
        callee = node.child_by_field_name("function")
        if callee is None:
            continue
        start, end = node.start_byte, node.end_byte
        callee_end = callee.end_byte
        if reach.get(start, 0) < callee_end:
            reach[start] = callee_end
        line_end = tree.line(end)
        scope, _ = scopes.at(start)
        text = expression(tree, callee)
        first, last = tree.char(start), tree.char(end)
        if last - first > MAX_CALL:
            first, last = _callee_span(tree, callee)
        uses.append(Use(UseKind.CALL, scope, text, first, last, tree.line(start), line_end))
    return uses


def _callee_span(tree: SourceTree, callee: Node) -> tuple[int, int]:
    start, end = callee.start_byte, callee.end_byte
    if end - start > MAX_CALL:
        name = callee.child_by_field_name("attribute")
        if name is not None:
            start, end = name.start_byte, name.end_byte
    return tree.char(start), tree.char(end)


def _attributes(tree: SourceTree, scopes: ScopeMap, reach: dict[int, int]) -> list[Use]:
    """Attributes that are read for themselves: not what is called, nor a part of a longer one."""
    seen: set[tuple[int, int, str]] = set()
    uses: list[Use] = []
    for node in tree.of("attribute"):
        start, end = node.start_byte, node.end_byte
        if end > reach.get(start, 0):
            reach[start] = end
            _note(tree, scopes, node, seen=seen, uses=uses)
    return uses


def _names(tree: SourceTree, scopes: ScopeMap, taken: set[int], *, has_star: bool) -> list[Use]:
    """Bare names of what this file defines or imports; with a star import, all that it doesn't bind otherwise."""
    seen: set[tuple[int, int, str]] = set()
    uses: list[Use] = []
    wanted = _wanted(scopes)
    stored = _stored(scopes) if has_star else frozenset[bytes]()
    taken |= _written(tree)
    imports = [(node.start_byte, node.end_byte) for node in tree.of("import")]
    data = tree.data
    found: list[tuple[int, Node]] = []
    for node in tree.unordered("identifier"):
        start = node.start_byte
        name = data[start : node.end_byte]
        if (name in wanted or (has_star and name not in stored)) and start not in taken:
            found.append((start, node))
    for start, node in sorted(found, key=lambda item: item[0]):
        place = bisect_right(imports, (start, 1 << 62)) - 1
        in_import = place >= 0 and start < imports[place][1]
        if not in_import and not data[max(0, start - 20) : start].rstrip(_CONTINUATION).endswith(b"."):
            _note(tree, scopes, node, seen=seen, uses=uses)
    return uses


def _note(tree: SourceTree, scopes: ScopeMap, node: Node, *, seen: set[tuple[int, int, str]], uses: list[Use]) -> None:
    start, end = node.start_byte, node.end_byte
    scope, _ = scopes.at(start)
    text = expression(tree, node)
    header = scopes.header_at(start)
    if text[0] in "'?" or (scope, header, text) in seen:
        return
    seen.add((scope, header, text))
    place = tree.char(start), tree.char(end), tree.line(start), tree.line(end)
    uses.append(Use(UseKind.REFERENCE, scope, text, *place, header))


def _wanted(scopes: ScopeMap) -> frozenset[bytes]:
    return frozenset(
        name.encode("utf-8", "surrogatepass")
        for scope in scopes.scopes
        for name, bindings in scope.names.items()
        for binding in bindings
        if binding.kind in _NAMED
    )


def _stored(scopes: ScopeMap) -> frozenset[bytes]:
    return frozenset(name.encode("utf-8", "surrogatepass") for scope in scopes.scopes for name in scope.names)


def _written(tree: SourceTree) -> set[int]:
    return {node.start_byte for name in ("keyword", "store", "name") for node in tree.unordered(name)}
