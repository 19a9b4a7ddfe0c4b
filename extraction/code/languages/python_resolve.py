"""Resolution of a Python project: from the facts of all its files to nodes and links between them."""

from collections.abc import Iterator, Mapping

from extraction.code.facts import Definition, DefinitionKind, FileFacts, Import, ScopeKind, Use, UseKind
from extraction.code.languages.python_evaluator import Evaluator, is_property
from extraction.code.languages.python_modules import Located, ModuleIndex, module_name
from extraction.code.languages.python_replacement import ACCESSORS
from extraction.code.languages.python_states import FileState
from extraction.code.languages.python_values import (
    DYNAMIC,
    NO_ATTRIBUTE,
    UNTYPED,
    BuiltinValue,
    ChoiceValue,
    ClassValue,
    ElementsValue,
    FunctionValue,
    InstanceValue,
    ModuleValue,
    OutsideValue,
    Symbol,
    UnknownValue,
    Value,
)
from extraction.code.projects import EntryPoint, ProjectConfig
from extraction.code.results import Link, NodeRow, ResolvedFile, UnresolvedUse
from graph.identity import module_id, package_id, symbol_id

_KINDS = {DefinitionKind.CLASS: "class", DefinitionKind.FUNCTION: "function", DefinitionKind.METHOD: "method"}
_IMPORT_FAULTS = frozenset({"no such module", "ambiguous module", "beyond the top of the folder", NO_ATTRIBUTE.reason})
Span = tuple[int, int, int, int]


def resolve(files: Mapping[str, FileFacts], config: ProjectConfig | None = None) -> Iterator[ResolvedFile]:
    """Resolve a folder's files, all at once; yields them by path. The order of `files` changes nothing."""
    project = _Project({path: files[path] for path in sorted(files)}, config or ProjectConfig())
    for state in project.states.values():
        yield _FileResolver(project, state).run()


class _Project:
    """All files of a folder, and the nodes that they declare."""

    def __init__(self, files: Mapping[str, FileFacts], config: ProjectConfig) -> None:
        self.modules = ModuleIndex(files, config.source_roots)
        self.states = {path: FileState(facts, _symbols(facts)) for path, facts in files.items()}
        self.evaluator = Evaluator(self.states, self.modules)
        for state in self.states.values():
            self._expose_exports(state)
            self._expose_overrides(state)
        for entry in config.entry_points:
            self._expose_entry(entry)
        self.nodes: dict[str, NodeRow] = {}
        for state in self.states.values():
            for row in (_module_row(state.facts), *map(_symbol_row, state.symbols)):
                self.nodes[row.node_id] = row

    def package(self, name: str) -> NodeRow:
        """The node of an outside package."""
        node_id = package_id(name)
        return self.nodes.setdefault(node_id, NodeRow(node_id, name, "package"))

    def _expose_exports(self, state: FileState) -> None:
        for name in state.facts.exports or ():
            value = self.evaluator.imports.member(
                ModuleValue(state.facts.path, self.modules.folder_of(state.facts.path)), name
            )
            for symbol in _symbols_of(value):
                symbol.exposed.add("exported")

    def _expose_overrides(self, state: FileState) -> None:
        for symbol in state.symbols:
            if symbol.definition.kind != DefinitionKind.METHOD:
                continue
            owner = state.symbols[state.facts.scopes[symbol.definition.scope].definition]
            lineage = self.evaluator.lineage(owner)
            ancestors = lineage.classes[1:]
            name = symbol.definition.name
            if lineage.is_open or any(self.evaluator.raw_member(item, name) is not None for item in ancestors):
                symbol.exposed.add("override")

    def _expose_entry(self, entry: EntryPoint) -> None:
        module, _, attribute = entry.target.partition(":")
        located = self.modules.find_absolute(module, entry.path)
        if located.path is None:
            return
        value: Value = ModuleValue(located.path, located.folder)
        for name in attribute.split("."):
            value = self.evaluator.attribute(value, name, raw=True)
        for symbol in _symbols_of(value):
            symbol.exposed.add("entry_point")


class _FileResolver:
    """Resolves what one file uses."""

    def __init__(self, project: _Project, state: FileState) -> None:
        self._project = project
        self._state = state
        self._facts = state.facts
        self._evaluator = project.evaluator
        self._module = module_id(state.facts.path)
        self._out = ResolvedFile(state.facts, project.nodes)
        self._links = self._out.links
        self._sources: dict[int, str] = {}

    def run(self) -> ResolvedFile:
        """All nodes, links and unresolved uses of the file."""
        self._structure()
        for item in self._facts.imports:
            self._import(item)
        for use in self._facts.uses:
            match use.kind:
                case UseKind.CALL:
                    self._call(use)
                case UseKind.REFERENCE:
                    self._reference(use)
                case UseKind.BASE:
                    self._base(use)
                case UseKind.DECORATOR:
                    self._decorator(use)
        outside = dict.fromkeys(link.target for link in self._links if link.target.startswith("pkg:"))
        self._out.declared += [self._project.nodes[node_id] for node_id in outside]
        return self._out

    def _structure(self) -> None:
        nodes, facts = self._project.nodes, self._facts
        module = nodes[self._module]
        self._out.declared.append(module)
        parent = self._project.modules.parent_package(facts.path)
        if parent is not None:
            lines = (facts.first_line[2], facts.line_count)
            self._link(module_id(parent), "contains", self._module, (module.start, module.end, *lines))
        for symbol in self._state.symbols:
            row = nodes[symbol.node_id]
            self._out.declared.append(row)
            span = (row.start, row.end, symbol.definition.line_start, symbol.definition.line_end)
            self._link(self._owner(symbol.definition), "defines", symbol.node_id, span)

    def _owner(self, definition: Definition) -> str:
        scope = definition.scope
        while scope > 0:
            index = self._facts.scopes[scope].definition
            if index >= 0:
                return self._state.symbols[index].node_id
            scope = self._facts.scopes[scope].parent
        return self._module

    def _source(self, scope: int) -> str:
        """The function or method whose code this is; a class's body is the code of what is around it."""
        known = self._sources.get(scope)
        if known is not None:
            return known
        here = self._facts.scopes[scope]
        if here.definition >= 0 and here.kind != ScopeKind.CLASS:
            known = self._state.symbols[here.definition].node_id
        else:
            known = self._module if scope == 0 else self._source(here.parent)
        self._sources[scope] = known
        return known

    def _import(self, item: Import) -> None:
        span = (item.start, item.end, item.line_start, item.line_end)
        located = self._evaluator.imports.target(self._state, item)
        value = self._evaluator.imports.value(self._state, item) if item.name not in ("", "*") else None
        written = item.module if not item.name or located.missing else f"{item.module}:{item.name}"
        if located.missing is not None:
            self._miss(self._module, "imports", written, located.missing, item.line_start)
        elif located.path is not None:
            if located.path != self._facts.path:
                self._link(self._module, "imports", module_id(located.path), span)
        elif located.folder is None and not isinstance(value, ModuleValue):
            package = self._project.package(item.module.partition(".")[0])
            self._link(self._module, "imports", package.node_id, span)
            return
        if item.name == "*":
            self._re_export_all(item, located, span)
        elif value is not None and located.missing is None:
            self._imported_name(item, value, span, written=written)

    def _imported_name(self, item: Import, value: Value, span: Span, *, written: str) -> None:
        if isinstance(value, UnknownValue) and value.reason in _IMPORT_FAULTS:
            self._miss(self._module, "imports", written, value.reason, item.line_start)
        for target, confidence in self._targets(value):
            if target != self._module:
                self._link(self._module, "imports", target, span, confidence)
        if item.scope == 0 and _is_public(item.alias or item.name, self._facts):
            self._re_export(value, span)

    def _re_export_all(self, item: Import, located: Located, span: Span) -> None:
        source = self._project.states.get(located.path or "")
        if source is None or item.scope != 0:
            return
        names = source.facts.exports
        for name in names if names is not None else source.facts.scopes[0].names:
            if names is not None or not name.startswith("_"):
                self._re_export(self._evaluator.imports.member(ModuleValue(located.path, located.folder), name), span)

    def _re_export(self, value: Value, span: Span) -> None:
        if self._project.modules.folder_of(self._facts.path) is None:
            return
        for symbol in _symbols_of(value):
            if symbol.facts.path != self._facts.path:
                self._link(self._module, "re_exports", symbol.node_id, span)

    def _call(self, use: Use) -> None:
        source = self._source(use.scope)
        span = (use.start, use.end, use.line_start, use.line_end)
        value = self._raw(use.scope, use.expression)
        self._passed_through(use, source, span)
        if isinstance(value, BuiltinValue | ElementsValue):
            self._out.tally.builtin += 1
            return
        found = False
        for target, confidence in self._targets(value, called=True):
            self._link(source, "calls", target, span, confidence)
            found = True
            if target.startswith("pkg:"):
                self._out.tally.outside += 1
            else:
                self._out.tally.resolved += 1
        if not found:
            known = value if isinstance(value, UnknownValue) else UNTYPED
            reason = (DYNAMIC if known == UNTYPED and "." not in use.expression else known).reason
            self._out.tally.unresolved += 1
            self._miss(source, "calls", use.expression, reason, use.line_start)

    def _passed_through(self, use: Use, source: str, span: Span) -> None:
        """A class or property on the way to what is called is used too, though not called itself."""
        prefix, dot, _ = use.expression.rpartition(".")
        if not dot or prefix.endswith((")", "]")) or prefix in ("self", "cls"):
            return
        value = self._raw(use.scope, prefix)
        if isinstance(value, ClassValue) or (isinstance(value, FunctionValue) and is_property(value.symbol)):
            self._link(source, "references", value.symbol.node_id, span)

    def _reference(self, use: Use) -> None:
        expression = use.expression
        while expression:
            value = self._raw(use.scope, expression)
            symbols = _symbols_of(value)
            if symbols:
                source = self._source(use.scope)
                if use.definition >= 0:
                    source = self._state.symbols[use.definition].node_id
                for symbol in symbols:
                    if symbol.node_id != source or "." in expression:
                        span = (use.start, use.end, use.line_start, use.line_end)
                        self._link(source, "references", symbol.node_id, span, 1 / len(symbols))
                return
            expression = expression.rpartition(".")[0]

    def _base(self, use: Use) -> None:
        source = self._state.symbols[use.definition].node_id
        span = (use.start, use.end, use.line_start, use.line_end)
        value = self._evaluator.evaluate(self._state, use.scope, use.expression.removesuffix("[]"))
        if isinstance(value, BuiltinValue):
            return
        targets = list(self._targets(value))
        for target, confidence in targets:
            if target != source:
                self._link(source, "inherits", target, span, confidence)
        if not targets:
            reason = value.reason if isinstance(value, UnknownValue) else "dynamic base"
            self._miss(source, "inherits", use.expression, reason, use.line_start)

    def _decorator(self, use: Use) -> None:
        if use.expression.endswith(ACCESSORS):
            return
        target = self._state.symbols[use.definition].node_id
        value = self._raw(use.scope, use.expression.removesuffix("()"))
        if isinstance(value, BuiltinValue):
            return
        sources = list(self._targets(value, called=True))
        for source, confidence in sources:
            if source != target:
                span = (use.start, use.end, use.line_start, use.line_end)
                self._link(source, "decorates", target, span, confidence)
        if not sources:
            reason = value.reason if isinstance(value, UnknownValue) else UNTYPED.reason
            self._miss(target, "decorates", use.expression, reason, use.line_start)

    def _raw(self, scope: int, expression: str) -> Value:
        """The value, with a property as the function that it is."""
        prefix, dot, name = expression.rpartition(".")
        if not dot or not name.isidentifier():
            return self._evaluator.evaluate(self._state, scope, expression)
        return self._evaluator.attribute(self._evaluator.evaluate(self._state, scope, prefix), name, raw=True)

    def _targets(self, value: Value, *, called: bool = False) -> Iterator[tuple[str, float]]:
        match value:
            case ClassValue() | FunctionValue():
                yield value.symbol.node_id, 1.0
            case ModuleValue(path=str(path)) if not called:
                yield module_id(path), 1.0
            case OutsideValue():
                yield self._project.package(value.package).node_id, 1.0
            case InstanceValue() if called:
                method = self._evaluator.attribute(value, "__call__", raw=True)
                if isinstance(method, FunctionValue):
                    yield method.symbol.node_id, 1.0
            case ChoiceValue():
                for item in value.values:
                    for target, confidence in self._targets(item, called=called):
                        yield target, confidence / len(value.values)
            case _:
                return

    def _link(self, source: str, relation: str, target: str, span: Span, confidence: float = 1.0) -> None:
        self._links.append(Link(source, relation, target, *span, confidence))

    def _miss(self, source: str, relation: str, name: str, reason: str, line: int) -> None:
        self._out.unresolved.append(UnresolvedUse(source, relation, name, reason, line))


def _symbols(facts: FileFacts) -> list[Symbol]:
    return [
        Symbol(facts, index, item, symbol_id(facts.path, item.qualified_name), set(item.exposed))
        for index, item in enumerate(facts.definitions)
    ]


def _module_row(facts: FileFacts) -> NodeRow:
    start, end, line = facts.first_line
    return NodeRow(
        node_id=module_id(facts.path),
        name=module_name(facts.path),
        kind="module",
        description=facts.description,
        path=facts.path,
        line_start=line,
        line_end=max(line, facts.line_count),
        start=start,
        end=end,
    )


def _symbol_row(symbol: Symbol) -> NodeRow:
    item = symbol.definition
    return NodeRow(
        node_id=symbol.node_id,
        name=item.name,
        kind=_KINDS[item.kind],
        description=item.description,
        path=symbol.facts.path,
        line_start=item.line_start,
        line_end=item.line_end,
        signature=item.signature,
        exposed=tuple(sorted(symbol.exposed)),
        start=item.start,
        end=item.end,
    )


def _symbols_of(value: Value) -> list[Symbol]:
    match value:
        case ClassValue() | FunctionValue():
            return [value.symbol]
        case ChoiceValue():
            return [symbol for item in value.values for symbol in _symbols_of(item)]
        case _:
            return []


def _is_public(name: str, facts: FileFacts) -> bool:
    return name in facts.exports if facts.exports is not None else not name.startswith("_")
