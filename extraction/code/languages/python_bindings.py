"""Assignments, imports and the other ways in which a Python file binds names."""

from collections.abc import Callable, Iterable

from tree_sitter import Node

from extraction.code.facts import Binding, BindingKind, Import, ScopeKind
from extraction.code.languages.python_definitions import annotation
from extraction.code.languages.python_expressions import choices, identifier
from extraction.code.languages.python_scopes import ScopeMap, add_binding
from extraction.code.parse import SourceTree

MAX_STATEMENT = 300
"""The longest import statement, in characters, that is evidence as a whole."""


def extract_declarations(tree: SourceTree, scopes: ScopeMap) -> None:
    """Note which names belong to an outer scope; must come before anything is bound."""
    for node in tree.of("global"):
        scope = scopes.function_around(scopes.at(node.start_byte)[0])
        for name in node.named_children:
            scopes.scopes[scope].elsewhere[identifier(tree, name)] = 0
    for node in tree.of("nonlocal"):
        scope = scopes.function_around(scopes.at(node.start_byte)[0])
        for name in node.named_children:
            scopes.declare_nonlocal(scope, identifier(tree, name))


def extract_bindings(tree: SourceTree, scopes: ScopeMap) -> None:
    """Bind the names of assignments, loops, with statements, except clauses and patterns."""
    done: set[int] = set()
    for node in tree.of("assignment"):
        _bind_assignment(tree, scopes, node, done)
    for node in tree.of("walrus"):
        name, value = node.child_by_field_name("name"), node.child_by_field_name("value")
        if name is not None and value is not None:
            scope, branch = scopes.at(node.start_byte)
            scope = scopes.function_around(scope)
            _bind_values(tree, scopes, name=name, value=value, place=(scope, branch), done=done)
    for node in tree.of("loop"):
        value = node.child_by_field_name("right")
        _bind_first(
            tree, scopes, name=node.child_by_field_name("left"), value=value, kind=BindingKind.ELEMENT, done=done
        )
    for capture, kind in (("entered", BindingKind.ENTERED), ("caught", BindingKind.CAUGHT)):
        for node in tree.of(capture):
            target = node.child_by_field_name("alias")
            name = target.named_child(0) if target is not None and target.named_child_count else None
            _bind_first(tree, scopes, name=name, value=node.named_child(0), kind=kind, done=done)
    for node in tree.of("store"):
        if node.start_byte not in done:
            scope, branch = scopes.at(node.start_byte)
            scopes.bind(scope, identifier(tree, node), Binding(BindingKind.UNKNOWN, "", scope, branch))


def extract_returns(tree: SourceTree, scopes: ScopeMap) -> None:
    """Bind what functions return to the name `return`, which no variable can have; a generator's is unknown."""
    for node in tree.of("return"):
        scope, branch = scopes.at(node.start_byte)
        value = node.named_child(0) if node.named_child_count else None
        if scopes.scopes[scope].kind == ScopeKind.FUNCTION and value is not None:
            for text in choices(tree, value):
                scopes.bind(scope, "return", Binding(BindingKind.VALUE, text, scope, branch))
    for node in tree.of("yield"):
        scope, branch = scopes.at(node.start_byte)
        scopes.bind(scope, "return", Binding(BindingKind.UNKNOWN, "", scope, branch))
    for node in tree.of("lambda"):
        scope, body = scopes.lambdas[node.start_byte], node.child_by_field_name("body")
        if body is not None and scopes.scopes[scope].definition >= 0:
            for text in choices(tree, body):
                scopes.bind(scope, "return", Binding(BindingKind.VALUE, text, scope))


def extract_imports(tree: SourceTree, scopes: ScopeMap) -> list[Import]:
    """All imported names, bound in their scopes."""
    found: list[Import] = []
    for node in tree.of("import"):
        scope, branch = scopes.at(node.start_byte)
        for item in _imports_of(tree, node, scope):
            found.append(item)
            if item.name != "*":
                bound = item.alias or item.name or item.module.partition(".")[0]
                scopes.bind(scope, bound, Binding(BindingKind.IMPORT, "", scope, branch, len(found) - 1))
    return found


def _bind_assignment(tree: SourceTree, scopes: ScopeMap, node: Node, done: set[int]) -> None:
    left = node.child_by_field_name("left")
    if left is None or left.type not in ("identifier", "attribute"):
        return
    hint, value = node.child_by_field_name("type"), node.child_by_field_name("right")
    while value is not None and value.type == "assignment":
        value = value.child_by_field_name("right")
    scope, branch = scopes.at(node.start_byte)
    if left.type == "attribute":
        _bind_field(tree, scopes, target=left, hint=hint, value=value, scope=scope)
    elif hint is not None:
        done.add(left.start_byte)
        text = annotation(tree, hint)
        scopes.bind(scope, identifier(tree, left), Binding(BindingKind.ANNOTATION, text, scope, branch))
        if value is not None and text.rpartition(".")[2] == "TypeAlias":
            _bind_values(tree, scopes, name=left, value=value, place=(scope, branch), done=done)
    elif value is not None:
        _bind_values(tree, scopes, name=left, value=value, place=(scope, branch), done=done)


def _bind_values(
    tree: SourceTree, scopes: ScopeMap, *, name: Node, value: Node, place: tuple[int, int], done: set[int]
) -> None:
    done.add(name.start_byte)
    scope, branch = place
    if value.type == "lambda" and scopes.scopes[scope].kind in (ScopeKind.MODULE, ScopeKind.CLASS):
        return
    for text in choices(tree, value):
        scopes.bind(scope, identifier(tree, name), Binding(BindingKind.VALUE, text, scope, branch))


def _bind_field(
    tree: SourceTree, scopes: ScopeMap, *, target: Node, hint: Node | None, value: Node | None, scope: int
) -> None:
    owner, name = target.child_by_field_name("object"), target.child_by_field_name("attribute")
    method = scopes.scopes[scopes.function_around(scope)]
    if owner is None or name is None or method.receiver is None or owner.type != "identifier":
        return
    if identifier(tree, owner) != method.receiver:
        return
    bindings = scopes.scopes[method.parent].fields.setdefault(identifier(tree, name), [])
    if hint is not None:
        add_binding(bindings, Binding(BindingKind.ANNOTATION, annotation(tree, hint), scope))
    elif value is not None:
        for text in choices(tree, value):
            add_binding(bindings, Binding(BindingKind.VALUE, text, scope))


def _bind_first(
    tree: SourceTree,
    scopes: ScopeMap,
    *,
    name: Node | None,
    value: Node | None,
    kind: BindingKind,
    done: set[int],
) -> None:
    if name is None or value is None or name.type != "identifier":
        return
    done.add(name.start_byte)
    scope, branch = scopes.at(name.start_byte)
    for text in choices(tree, value):
        scopes.bind(scope, identifier(tree, name), Binding(kind, text, scope, branch))


def _imports_of(tree: SourceTree, node: Node, scope: int) -> Iterable[Import]:
    start, end = tree.char(node.start_byte), tree.char(node.end_byte)
    whole = (start, end, tree.line(node.start_byte), tree.line(node.end_byte))
    place: Callable[[Node], tuple[int, int, int, int]] = lambda item: (  # noqa: E731
        whole if end - start <= MAX_STATEMENT else _place(tree, item)
    )
    module_node = node.child_by_field_name("module_name")
    module = _dotted(tree, module_node) if module_node is not None else ""
    for child in node.named_children:
        if child.type == "wildcard_import":
            yield Import(module, "*", "", scope, *place(child))
    for item in node.children_by_field_name("name"):
        alias_node = item.child_by_field_name("alias")
        alias = identifier(tree, alias_node) if alias_node is not None else ""
        name_node = item.child_by_field_name("name") if item.type == "aliased_import" else item
        name = _dotted(tree, name_node) if name_node is not None else ""
        if name:
            parts = (module, name) if module_node is not None else (name, "")
            yield Import(*parts, alias, scope, *place(item))


def _place(tree: SourceTree, node: Node) -> tuple[int, int, int, int]:
    lines = tree.line(node.start_byte), tree.line(node.end_byte)
    return (tree.char(node.start_byte), tree.char(node.end_byte), *lines)


def _dotted(tree: SourceTree, node: Node) -> str:
    text = identifier(tree, node)
    return text if text.isidentifier() else "".join(text.replace("\\", "").split())
