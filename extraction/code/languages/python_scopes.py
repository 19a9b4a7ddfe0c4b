"""Where Python's scopes and branches lie in a file, and the names that they bind."""

from bisect import bisect_right
from dataclasses import dataclass, field

from tree_sitter import Node

from extraction.code.facts import Binding, BindingKind, Scope, ScopeKind
from extraction.code.parse import SourceTree

_BRANCH = -1
_KEPT_BINDINGS = 12


@dataclass(slots=True)
class OpenScope:
    """A scope while its names are collected."""

    kind: ScopeKind
    parent: int
    definition: int = -1
    receiver: str | None = None
    names: dict[str, list[Binding]] = field(default_factory=dict[str, list[Binding]])
    fields: dict[str, list[Binding]] = field(default_factory=dict[str, list[Binding]])
    elsewhere: dict[str, int] = field(default_factory=dict[str, int])

    def close(self) -> Scope:
        """The scope as a fact."""
        outer = sorted(name for name, scope in self.elsewhere.items() if scope == 0)
        return Scope(self.kind, self.parent, self.definition, self.names, self.fields, outer)


class ScopeMap:
    """The scopes of a file in the order of their starts; 0 is the module."""

    def __init__(self, tree: SourceTree) -> None:
        self.scopes = [OpenScope(ScopeKind.MODULE, -1)]
        self.branches: list[int] = []
        self.definition_nodes: list[Node] = []
        self.own_scopes: list[int] = []
        self.lambdas: dict[int, int] = {}
        self._headers: list[tuple[int, int, int]] = []
        self._bounds = [0]
        self._active: list[tuple[int, int]] = [(0, -1)]
        self._lay_out(_regions(tree))

    def at(self, offset: int) -> tuple[int, int]:
        """The innermost scope and branch at a byte."""
        return self._active[bisect_right(self._bounds, offset) - 1]

    def set_headers(self, headers: list[tuple[int, int, int]]) -> None:
        """Take the headers of definitions: start, end and index of each, rising."""
        self._headers = headers

    def header_at(self, offset: int) -> int:
        """The definition whose header, with annotations and defaults, a byte is in; -1 for none."""
        place = bisect_right(self._headers, (offset, 1 << 62, 0)) - 1
        return self._headers[place][2] if place >= 0 and offset < self._headers[place][1] else -1

    def bind(self, scope: int, name: str, binding: Binding) -> None:
        """Add a binding to the scope that owns the name there (global, nonlocal, out of a comprehension)."""
        owner = self.scopes[scope].elsewhere.get(name, scope)
        bindings = self.scopes[owner].names.setdefault(name, [])
        add_binding(bindings, binding if owner == scope else replace_branch(binding))

    def function_around(self, scope: int) -> int:
        """The nearest scope from here outwards that is neither a comprehension nor a lambda."""
        while self.scopes[scope].kind in (ScopeKind.COMPREHENSION, ScopeKind.LAMBDA):
            scope = self.scopes[scope].parent
        return scope

    def declare_nonlocal(self, scope: int, name: str) -> None:
        """Let a name belong to the function around."""
        outer = self.scopes[scope].parent
        while outer > 0 and self.scopes[outer].kind != ScopeKind.FUNCTION:
            outer = self.scopes[outer].parent
        self.scopes[scope].elsewhere[name] = self.scopes[outer].elsewhere.get(name, outer) if outer > 0 else scope

    def _lay_out(self, regions: list[tuple[int, int, int, Node]]) -> None:
        stack: list[tuple[int, int, int]] = [(1 << 62, 0, -1)]
        for start, minus_end, kind, node in regions:
            self._leave(stack, start)
            _, scope, branch = stack[-1]
            if kind == _BRANCH:
                self.branches.append(branch)
                branch = len(self.branches) - 1
            else:
                scope, branch = self._open(ScopeKind(kind), scope, node), -1
            self._mark(start, scope, branch)
            stack.append((-minus_end, scope, branch))
        self._leave(stack, (1 << 62) - 1)

    def _open(self, kind: ScopeKind, parent: int, node: Node) -> int:
        if kind in (ScopeKind.CLASS, ScopeKind.FUNCTION):
            self.definition_nodes.append(node)
            self.own_scopes.append(len(self.scopes))
        elif kind == ScopeKind.LAMBDA:
            self.lambdas[node.start_byte] = len(self.scopes)
        self.scopes.append(OpenScope(kind, parent))
        return len(self.scopes) - 1

    def _leave(self, stack: list[tuple[int, int, int]], start: int) -> None:
        while stack[-1][0] <= start:
            end, _, _ = stack.pop()
            self._mark(end, stack[-1][1], stack[-1][2])

    def _mark(self, offset: int, scope: int, branch: int) -> None:
        if self._bounds[-1] == offset:
            self._active[-1] = (scope, branch)
        else:
            self._bounds.append(offset)
            self._active.append((scope, branch))


def add_binding(bindings: list[Binding], binding: Binding) -> None:
    """Add a binding once; past a bound, one that is unknown stands for all further ones."""
    if binding in bindings:
        return
    if len(bindings) < _KEPT_BINDINGS or binding.kind in (BindingKind.DEFINITION, BindingKind.IMPORT):
        bindings.append(binding)
    elif bindings[-1].kind != BindingKind.UNKNOWN:
        bindings.append(Binding(BindingKind.UNKNOWN, "", binding.scope))


def replace_branch(binding: Binding) -> Binding:
    """The binding outside all branches, for a scope that isn't the one it stands in."""
    return Binding(binding.kind, binding.expression, binding.scope, -1, binding.index)


def _regions(tree: SourceTree) -> list[tuple[int, int, int, Node]]:
    regions: list[tuple[int, int, int, Node]] = []
    for kind, capture in ((ScopeKind.FUNCTION, "function"), (ScopeKind.CLASS, "class"), (ScopeKind.LAMBDA, "lambda")):
        for node in tree.of(capture):
            body = node.child_by_field_name("body") or node
            start = body.start_byte if body is not node else node.end_byte
            regions.append((start, -body.end_byte, kind, node))
    for kind, capture in ((ScopeKind.COMPREHENSION, "comprehension"), (_BRANCH, "branch")):
        regions += [(node.start_byte, -node.end_byte, kind, node) for node in tree.unordered(capture)]
    regions.sort(key=lambda region: region[:3])
    return regions
