"""Classes, functions, methods and lambda constants of a Python file, with their parameters' bindings."""

import re
from dataclasses import dataclass, field

from tree_sitter import Node

from extraction.code.facts import Binding, BindingKind, Definition, DefinitionKind, ScopeKind
from extraction.code.languages.python_expressions import expression, identifier
from extraction.code.languages.python_scopes import ScopeMap
from extraction.code.parse import SourceTree

MAX_DESCRIPTION = 500
MAX_SIGNATURE = 300
MAX_ANNOTATION = 300

_STRING = re.compile(r"[rRuU]*(\"\"\"|'''|\"|')(.*)\1", re.DOTALL)
_BLANK_LINE = re.compile(r"\n[ \t\f\r]*\n")
_TEST_FILE = re.compile(r"(?:^|/)(?:test_[^/]*|[^/]*_test|tests|conftest)\.pyi?$")
# The last one first: a header ends behind the first of these that it has.
_HEADER_PARTS = ("return_type", "parameters", "superclasses", "type_parameters", "name")
_CLASS_RECEIVERS = frozenset({"__new__", "__init_subclass__", "__class_getitem__"})
# Decorators that change how a definition behaves, not who uses it.
_NEUTRAL = frozenset(
    {
        "abstractmethod",
        "abstractproperty",
        "asynccontextmanager",
        "attrs",
        "cache",
        "cached_property",
        "classmethod",
        "contextmanager",
        "dataclass",
        "dataclass_transform",
        "define",
        "deprecated",
        "final",
        "frozen",
        "lru_cache",
        "mutable",
        "no_type_check",
        "override",
        "property",
        "runtime_checkable",
        "singledispatch",
        "singledispatchmethod",
        "staticmethod",
        "total_ordering",
        "unique",
        "wraps",
    }
)


@dataclass(slots=True)
class Draft:
    """A definition before its index is known. `node` is a function, a class, or the assignment of a lambda."""

    node: Node
    name: str
    own_scope: int
    header_end: int
    is_lambda: bool = False
    decorators: list[Node] = field(default_factory=list[Node])


def extract_definitions(tree: SourceTree, scopes: ScopeMap, path: str) -> tuple[list[Definition], list[Draft]]:
    """All definitions in the order of their starts, bound in their scopes, and what they were made of."""
    drafts = sorted((*_plain_drafts(tree, scopes), *_lambda_drafts(tree, scopes)), key=lambda d: d.node.start_byte)
    for index, draft in enumerate(drafts):
        scopes.scopes[draft.own_scope].definition = index
    decorators = _decorators(tree)
    in_tests = _TEST_FILE.search(path) is not None
    seen: dict[str, int] = {}
    definitions: list[Definition] = []
    for index, draft in enumerate(drafts):
        draft.decorators = decorators.get(draft.node.start_byte, [])
        scope, branch = scopes.at(draft.node.start_byte)
        prefix = _prefix(scopes, scope, definitions)
        qualified = _numbered(prefix + draft.name, seen)
        definitions.append(_definition(tree, scopes, draft, scope=scope, qualified=qualified, in_tests=in_tests))
        scopes.bind(scope, draft.name, Binding(BindingKind.DEFINITION, "", scope, branch, index))
        if not draft.is_lambda:
            _bind_parameters(tree, scopes, draft, definitions[-1])
    scopes.set_headers([(d.node.start_byte, d.header_end, i) for i, d in enumerate(drafts)])
    for node in tree.of("lambda"):
        _bind_plain_parameters(tree, scopes, node.child_by_field_name("parameters"), scopes.lambdas[node.start_byte])
    return definitions, drafts


def docstring(tree: SourceTree, body: Node | None) -> str:
    """The first paragraph of a body's docstring, blanks folded and bounded; empty without one."""
    node = _first_statement(body)
    if node is not None and node.type == "expression_statement":
        node = _first_statement(node)
    if node is None or node.type != "string":
        return ""
    match = _STRING.fullmatch(tree.text(node.start_byte, node.end_byte))
    if match is None:
        return ""
    paragraph = _BLANK_LINE.split(match[2].strip(), maxsplit=1)[0]
    return _folded(paragraph, MAX_DESCRIPTION)


def annotation(tree: SourceTree, node: Node | None) -> str:
    """The text of a type annotation without blanks; empty when there is none or it is too long to matter."""
    if node is None or node.end_byte - node.start_byte > MAX_ANNOTATION:
        return ""
    return "".join(tree.text(node.start_byte, node.end_byte).split())


def _first_statement(body: Node | None) -> Node | None:
    if body is None:
        return None
    index, count = 0, body.named_child_count
    while index < count:
        node = body.named_child(index)
        if node.type != "comment":
            return node
        index += 1
    return None


def _plain_drafts(tree: SourceTree, scopes: ScopeMap) -> list[Draft]:
    drafts: list[Draft] = []
    for node, own_scope in zip(scopes.definition_nodes, scopes.own_scopes, strict=True):
        name = node.child_by_field_name("name")
        text = identifier(tree, name) if name is not None else ""
        drafts.append(Draft(node, text, own_scope, _header_end(tree, node)))
    return drafts


def _lambda_drafts(tree: SourceTree, scopes: ScopeMap) -> list[Draft]:
    if not scopes.lambdas:
        return []
    drafts: list[Draft] = []
    for node in tree.of("assignment"):
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        if left is None or right is None or right.type != "lambda" or left.type != "identifier":
            continue
        scope, _ = scopes.at(node.start_byte)
        if scopes.scopes[scope].kind in (ScopeKind.MODULE, ScopeKind.CLASS):
            own_scope, end = scopes.lambdas[right.start_byte], _header_end(tree, node)
            drafts.append(Draft(node, identifier(tree, left), own_scope, end, is_lambda=True))
    return drafts


def _decorators(tree: SourceTree) -> dict[int, list[Node]]:
    found: dict[int, list[Node]] = {}
    for node in tree.of("decorated"):
        definition = node.child_by_field_name("definition")
        if definition is not None:
            found[definition.start_byte] = [child for child in node.named_children if child.type == "decorator"]
    return found


def _prefix(scopes: ScopeMap, scope: int, definitions: list[Definition]) -> str:
    while scope > 0:
        index = scopes.scopes[scope].definition
        if index >= 0:
            return definitions[index].qualified_name + "."
        scope = scopes.scopes[scope].parent
    return ""


def _numbered(name: str, seen: dict[str, int]) -> str:
    ordinal = seen[name] = seen.get(name, 0) + 1
    return name if ordinal == 1 else f"{name}#{ordinal}"


def _definition(
    tree: SourceTree, scopes: ScopeMap, draft: Draft, *, scope: int, qualified: str, in_tests: bool
) -> Definition:
    node = draft.node
    end = draft.header_end
    decorators = [_decorator_name(tree, decorator) for decorator in draft.decorators]
    return Definition(
        kind=_kind(scopes, draft, scope),
        name=draft.name,
        qualified_name=qualified,
        scope=scope,
        own_scope=draft.own_scope,
        start=tree.char(node.start_byte),
        end=tree.char(end),
        line_start=tree.line(node.start_byte),
        line_end=tree.line(max(node.end_byte - 1, node.start_byte)),
        signature=_folded(tree.text(node.start_byte, end).rstrip(" \t:"), MAX_SIGNATURE),
        description="" if draft.is_lambda else docstring(tree, node.child_by_field_name("body")),
        returns=annotation(tree, node.child_by_field_name("return_type")),
        decorators=decorators,
        exposed=_exposed(draft.name, decorators, in_tests=in_tests),
    )


def _kind(scopes: ScopeMap, draft: Draft, scope: int) -> DefinitionKind:
    if draft.node.type == "class_definition":
        return DefinitionKind.CLASS
    in_class = scopes.scopes[scope].kind == ScopeKind.CLASS
    return DefinitionKind.METHOD if in_class else DefinitionKind.FUNCTION


def _header_end(tree: SourceTree, node: Node) -> int:
    if node.type == "assignment":
        right = node.child_by_field_name("right")
        body = right.child_by_field_name("body") if right is not None else None
        return body.start_byte if body is not None else node.end_byte
    last = node.start_byte
    for name in _HEADER_PARTS:
        part = node.child_by_field_name(name)
        if part is not None:
            last = part.end_byte
            break
    colon = tree.data.find(b":", last, node.end_byte)
    return colon + 1 if colon >= 0 else last


def _decorator_name(tree: SourceTree, decorator: Node) -> str:
    target = decorator.named_child(0) if decorator.named_child_count else None
    return expression(tree, target) if target is not None else "?"


def _exposed(name: str, decorators: list[str], *, in_tests: bool) -> list[str]:
    reasons: list[str] = []
    if len(name) > 4 and name.startswith("__") and name.endswith("__"):
        reasons.append("dunder")
    if any(decorator.removesuffix("()").rpartition(".")[2] not in _NEUTRAL for decorator in decorators):
        reasons.append("decorated")
    if in_tests and name.startswith(("test", "Test")):
        reasons.append("test")
    return reasons


def _bind_parameters(tree: SourceTree, scopes: ScopeMap, draft: Draft, definition: Definition) -> None:
    parameters = draft.node.child_by_field_name("parameters")
    if parameters is None:
        return
    first = True
    for node in parameters.named_children:
        name = _parameter_name(node)
        if name is None:
            continue
        text = identifier(tree, name)
        if first and definition.kind == DefinitionKind.METHOD and "staticmethod" not in definition.decorators:
            _bind_receiver(scopes, text, definition)
        else:
            hint = "" if _is_packed(node) else annotation(tree, node.child_by_field_name("type"))
            kind = BindingKind.ANNOTATION if hint else BindingKind.UNKNOWN
            scopes.bind(definition.own_scope, text, Binding(kind, hint, definition.scope))
        first = False


def _bind_receiver(scopes: ScopeMap, name: str, definition: Definition) -> None:
    of_class = "classmethod" in definition.decorators or definition.name in _CLASS_RECEIVERS
    kind = BindingKind.OWN_CLASS if of_class else BindingKind.INSTANCE
    scopes.bind(definition.own_scope, name, Binding(kind, "", definition.scope))
    scopes.scopes[definition.own_scope].receiver = name


def _bind_plain_parameters(tree: SourceTree, scopes: ScopeMap, parameters: Node | None, scope: int) -> None:
    for node in parameters.named_children if parameters is not None else ():
        name = _parameter_name(node)
        if name is not None:
            scopes.bind(scope, identifier(tree, name), Binding(BindingKind.UNKNOWN, "", scope))


def _parameter_name(node: Node) -> Node | None:
    if node.type == "identifier":
        return node
    name = node.child_by_field_name("name")
    if name is not None:
        return name if name.type == "identifier" else None
    inner = node.named_child(0) if node.named_child_count else None
    if inner is None or node.type not in ("typed_parameter", "list_splat_pattern", "dictionary_splat_pattern"):
        return None
    return inner if inner.type == "identifier" else _parameter_name(inner)


def _is_packed(node: Node) -> bool:
    return node.named_child_count > 0 and node.named_child(0).type.endswith("splat_pattern")


def _folded(text: str, limit: int) -> str:
    folded = " ".join(text.split())
    return folded if len(folded) <= limit else folded[: limit - 1].rstrip() + "…"
