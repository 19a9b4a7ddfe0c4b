"""One file of a project while it is resolved: its facts, and what has been found out about them."""

from extraction.code.facts import FileFacts, ScopeKind, UseKind
from extraction.code.languages.python_values import Symbol, Value


class FileState:
    """One file's facts and what has been found out about them."""

    def __init__(self, facts: FileFacts, symbols: list[Symbol]) -> None:
        self.facts = facts
        self.symbols = symbols
        self.expressions: dict[tuple[int, str], Value] = {}
        self.names: dict[tuple[int, str], Value] = {}
        self.annotations: dict[tuple[int, str], Value] = {}
        self.starred: dict[str, Value | None] = {}
        self.stars = [item for item in facts.imports if item.name == "*" and item.scope == 0]
        self.bases: dict[int, list[tuple[int, str]]] = {}
        for use in facts.uses:
            if use.kind == UseKind.BASE:
                self.bases.setdefault(use.definition, []).append((use.scope, use.expression))

    def class_around(self, scope: int) -> Symbol | None:
        """The class whose body or method a scope is in; None outside classes."""
        while scope > 0:
            here = self.facts.scopes[scope]
            if here.kind == ScopeKind.CLASS:
                return self.symbols[here.definition]
            scope = here.parent
        return None
