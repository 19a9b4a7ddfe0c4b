"""What Python expressions of a project stand for, found without running it.

Variables are taken without regard to the order of statements: one that is given values of several types, or any
that can't be followed, is unknown. A call on `self` or on a typed value means the method that its static class
has, though a subclass may override it.
"""

import re
from collections.abc import Callable, Mapping

from extraction.code.facts import Binding, BindingKind, DefinitionKind, FileFacts, Import, Scope, ScopeKind, UseKind
from extraction.code.languages.python_annotations import read_annotation
from extraction.code.languages.python_merging import builtin_result, choice_of, merge_orders, merged
from extraction.code.languages.python_modules import Located, ModuleIndex
from extraction.code.languages.python_values import (
    BUILTINS,
    CYCLE,
    DYNAMIC,
    IGNORED_BASES,
    INHERITED_OUTSIDE,
    NO_ATTRIBUTE,
    NO_MODULE,
    NONE,
    OUTSIDE_FACTORIES,
    PLAIN_BUILTINS,
    RETURNED_OUTSIDE,
    STAR_OUTSIDE,
    UNKNOWN_NAME,
    UNTYPED,
    BuiltinValue,
    ChoiceValue,
    ClassValue,
    ElementsValue,
    FunctionValue,
    InstanceValue,
    Lineage,
    ModuleValue,
    OutsideValue,
    SuperValue,
    Symbol,
    UnknownValue,
    Value,
    builtin_has,
    is_builtin_type,
)

_MAX_DEPTH = 60
_STEP = re.compile(r"\.\w+|\(\)|\[\]")
_PROPERTIES = frozenset({"property", "cached_property", "abstractproperty"})
_ACCESSORS = (".setter", ".deleter", ".getter")
_KEEPING = frozenset(
    {
        "abstractmethod",
        "cache",
        "cached_property",
        "classmethod",
        "deprecated",
        "final",
        "lru_cache",
        "override",
        "overload",
        "property",
        "staticmethod",
        "abstractproperty",
    }
)
_MANAGERS = frozenset({"contextmanager", "asynccontextmanager"})


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


class Evaluator:
    """Evaluates expressions over all files of a project; remembers what it found."""

    def __init__(self, states: Mapping[str, FileState], modules: ModuleIndex) -> None:
        self._states = states
        self._modules = modules
        self._depth = 0
        self._members: dict[tuple[Symbol, str], Value | None] = {}

    def evaluate(self, state: FileState, scope: int, expression: str) -> Value:
        """The value of an expression read in a scope."""
        key = (scope, expression)
        known = state.expressions.get(key)
        if known is None:
            if self._depth >= _MAX_DEPTH:
                return CYCLE
            self._depth += 1
            known = state.expressions[key] = self._compute(state, scope, expression)
            self._depth -= 1
        return known

    def attribute(self, value: Value, name: str, *, raw: bool = False) -> Value:
        """An attribute of a value; with `raw`, a property is its function and not what it returns."""
        match value:
            case ModuleValue():
                return self.module_member(value, name)
            case OutsideValue():
                # A method of an outside object is outside; what its attributes are is not known.
                inner = "()." in value.name
                return RETURNED_OUTSIDE if inner else OutsideValue(value.package, f"{value.name}.{name}")
            case ClassValue() | InstanceValue():
                return self._class_member(value.symbol, name, raw=raw or isinstance(value, ClassValue))
            case SuperValue():
                return self._class_member(value.symbol, name, raw=raw, above=True)
            case BuiltinValue():
                return BuiltinValue(f"{value.name}.{name}") if builtin_has(value.name, name) else UNTYPED
            case ElementsValue():
                return BuiltinValue(f"list.{name}")
            case ChoiceValue():
                return choice_of(self.attribute(item, name, raw=raw) for item in value.values)
            case UnknownValue():
                return value
            case _:
                return UNTYPED

    def call(self, value: Value) -> Value:
        """What calling a value returns."""
        match value:
            case ClassValue():
                return InstanceValue(value.symbol)
            case FunctionValue():
                return self._returned(value)
            case InstanceValue():
                method = self._class_member(value.symbol, "__call__", raw=False)
                return self._returned(method) if isinstance(method, FunctionValue) else UNTYPED
            case OutsideValue():
                if value.name.rpartition(".")[2][:1].isupper() or value.name in OUTSIDE_FACTORIES:
                    return OutsideValue(value.package, f"{value.name}()")
                return RETURNED_OUTSIDE
            case BuiltinValue():
                return builtin_result(value)
            case ChoiceValue():
                return merged([self.call(item) for item in value.values])
            case UnknownValue():
                return value
            case _:
                return UNTYPED

    def element(self, value: Value, method: str) -> Value:
        """What a subscript (`__getitem__`) or a loop (`__iter__`) takes out of a value."""
        if isinstance(value, ElementsValue):
            return value.element
        if isinstance(value, ClassValue | UnknownValue):
            return value
        if isinstance(value, InstanceValue):
            found = self._class_member(value.symbol, method, raw=False)
            result = self._returned(found) if isinstance(found, FunctionValue) else UNTYPED
            return (
                self.element(result, "")
                if method == "__iter__" and isinstance(result, ElementsValue)
                else (result if method == "__getitem__" else UNTYPED)
            )
        if isinstance(value, BuiltinValue) and value.is_instance and value.name in PLAIN_BUILTINS:
            return value
        return UNTYPED

    def import_target(self, state: FileState, item: Import) -> Located:
        """Where the module of an import statement is."""
        path = state.facts.path
        if item.module.startswith("."):
            return self._modules.find_relative(item.module, path)
        return self._modules.find_absolute(item.module, path)

    def import_value(self, state: FileState, item: Import) -> Value:
        """What an imported name stands for."""
        located = self.import_target(state, item)
        if not item.name:
            return self._module_value(state, item, located)
        if located.missing is not None:
            return UnknownValue(located.missing)
        if located.path is None and located.folder is None:
            inner = self._modules.find_absolute(f"{item.module}.{item.name}", state.facts.path)
            if inner.path is not None:
                return ModuleValue(inner.path, inner.folder)
            return OutsideValue(item.module.partition(".")[0], f"{item.module}.{item.name}")
        if located.path == state.facts.path and located.folder is not None:
            child = self._modules.child(located.folder, item.name)
            if child.path is not None:
                return ModuleValue(child.path, child.folder)
        return self.module_member(ModuleValue(located.path, located.folder), item.name)

    def module_member(self, module: ModuleValue, name: str) -> Value:
        """An attribute of a module: a name it binds, a submodule, or what a star import brings."""
        state = self._states.get(module.path) if module.path is not None else None
        if state is not None and name in state.facts.scopes[0].names:
            value = self.bound(state, 0, name)
            if value != CYCLE:
                return value
        if module.folder is not None:
            child = self._modules.child(module.folder, name)
            if child.path is not None or child.folder is not None:
                return ModuleValue(child.path, child.folder)
        if state is None:
            return NO_ATTRIBUTE
        starred = self._starred(state, name)
        if starred is not None:
            return starred
        if name.startswith("__") and name in BUILTINS:
            return BuiltinValue("str", is_instance=True)
        return DYNAMIC if "__getattr__" in state.facts.scopes[0].names else NO_ATTRIBUTE

    def bound(self, state: FileState, scope: int, name: str) -> Value:
        """What a name that a scope binds stands for."""
        return self._remembered(
            state.names, (scope, name), lambda: self._bindings_value(state, state.facts.scopes[scope].names[name])
        )

    def lineage(self, symbol: Symbol) -> Lineage:
        """A class with its ancestors."""
        if symbol.lineage is None:
            symbol.lineage = Lineage((symbol,), (), (), unknown_base=True)
            if self._depth < _MAX_DEPTH:
                self._depth += 1
                symbol.lineage = self._linearise(symbol)
                self._depth -= 1
        return symbol.lineage

    def raw_member(self, symbol: Symbol, name: str) -> Value | None:
        """What a class itself gives to a name, in its body or on `self`; None when it doesn't."""
        key = (symbol, name)
        if key in self._members:
            return self._members[key]
        state = self._states[symbol.facts.path]
        scope = state.facts.scopes[symbol.definition.own_scope]
        bindings = scope.names.get(name, [])
        if name in scope.fields:
            bindings = [*bindings, *scope.fields[name]]
        if not bindings:
            self._members[key] = None
            return None
        self._members[key] = CYCLE
        value = self._members[key] = self._bindings_value(state, bindings)
        return value

    def _compute(self, state: FileState, scope: int, expression: str) -> Value:
        if expression.endswith("()"):
            if expression == "super()":
                owner = self._class_around(state, scope)
                return SuperValue(owner) if owner is not None else DYNAMIC
            return self.call(self.evaluate(state, scope, expression[:-2]))
        if expression.endswith("[]"):
            return self.element(self.evaluate(state, scope, expression[:-2]), "__getitem__")
        prefix, dot, name = expression.rpartition(".")
        if dot:
            return self.attribute(self.evaluate(state, scope, prefix), name)
        if expression == "?":
            return UNTYPED
        if expression.startswith("'"):
            return NONE if expression == "'None" else BuiltinValue(expression[1:], is_instance=True)
        return self._name(state, scope, expression)

    def _name(self, state: FileState, scope: int, name: str) -> Value:
        scopes = state.facts.scopes
        current = scope
        while current >= 0:
            here = scopes[current]
            if name in here.declared_global:
                current = 0
                here = scopes[0]
            if name in here.names and (current == scope or _is_visible(here, scopes[scope])):
                return self.bound(state, current, name)
            current = here.parent
        starred = self._starred(state, name)
        if starred is not None and not (starred is STAR_OUTSIDE and name in BUILTINS):
            return starred
        return BuiltinValue(name) if name in BUILTINS else UNKNOWN_NAME

    def _starred(self, state: FileState, name: str) -> Value | None:
        if not state.stars:
            return None
        if name not in state.starred:
            state.starred[name] = None
            state.starred[name] = self._search_stars(state, name)
        return state.starred[name]

    def _search_stars(self, state: FileState, name: str) -> Value | None:
        outside = False
        for item in reversed(state.stars):
            located = self.import_target(state, item)
            source = self._states.get(located.path) if located.path is not None else None
            if source is None:
                outside = True
            elif self._exports(source, name):
                value = self.module_member(ModuleValue(located.path, None), name)
                if value != NO_ATTRIBUTE:
                    return value
        return STAR_OUTSIDE if outside else None

    def _exports(self, state: FileState, name: str) -> bool:
        exports = state.facts.exports
        if exports is None:
            return not name.startswith("_")
        return name in exports or bool(state.facts.exports_of)

    def _module_value(self, state: FileState, item: Import, located: Located) -> Value:
        top, _, rest = item.module.partition(".")
        if located.path is None:
            if located.missing is None:
                return OutsideValue(top, item.module if item.alias else top)
            if item.alias or not rest:
                return UnknownValue(located.missing)
            located = self._modules.find_absolute(top, state.facts.path)
            return ModuleValue(located.path, located.folder) if located.path else NO_MODULE
        if item.alias or not rest:
            return ModuleValue(located.path, located.folder)
        folder = located.path.rpartition("/")[0] if located.folder is None else located.folder
        for _ in range(rest.count(".") + (located.folder is not None)):
            folder = folder.rpartition("/")[0]
        return ModuleValue(self._modules.packages.get(folder), folder)

    def _remembered(
        self, known: dict[tuple[int, str], Value], key: tuple[int, str], compute: Callable[[], Value]
    ) -> Value:
        value = known.get(key)
        if value is None:
            known[key] = CYCLE
            value = known[key] = compute()
        return value

    def _bindings_value(self, state: FileState, bindings: list[Binding]) -> Value:
        named = [binding for binding in bindings if binding.kind in (BindingKind.DEFINITION, BindingKind.IMPORT)]
        others = [binding for binding in bindings if binding.kind not in (BindingKind.DEFINITION, BindingKind.IMPORT)]
        annotated = [binding for binding in others if binding.kind == BindingKind.ANNOTATION]
        if annotated and not named:
            return merged([self._binding_value(state, binding) for binding in annotated])
        counted = [*_live(state, named), *others]
        values = [self._binding_value(state, binding) for binding in counted]
        if CYCLE in values:
            values = self._without_cycles(state, counted, values)
        return merged(values, alternatives=bool(named))

    def _without_cycles(self, state: FileState, bindings: list[Binding], values: list[Value]) -> list[Value]:
        """Drop what a name is given from itself (`text = text.copy()`) where that keeps its class."""
        start = merged([value for value in values if value != CYCLE])
        if not isinstance(start, InstanceValue | ElementsValue):
            return values
        kept: list[Value] = []
        for binding, value in zip(bindings, values, strict=True):
            steps = _STEP.findall(binding.expression) if binding.kind == BindingKind.VALUE else []
            if value == CYCLE and steps and self._followed(start, steps) == start:
                self._forget(state, binding)
            else:
                kept.append(value)
        return kept

    def _followed(self, value: Value, steps: list[str]) -> Value:
        for step in steps:
            if step == "()":
                value = self.call(value)
            elif step == "[]":
                value = self.element(value, "__getitem__")
            else:
                value = self.attribute(value, step[1:])
        return value

    def _forget(self, state: FileState, binding: Binding) -> None:
        """Drop what was found while the name was open, for each beginning of the expression."""
        ends = [match.end() for match in _STEP.finditer(binding.expression)]
        root = _STEP.split(binding.expression, maxsplit=1)[0]
        for end in (len(root), *ends):
            state.expressions.pop((binding.scope, binding.expression[:end]), None)

    def _binding_value(self, state: FileState, binding: Binding) -> Value:
        match binding.kind:
            case BindingKind.DEFINITION:
                symbol = state.symbols[binding.index]
                is_class = symbol.definition.kind == DefinitionKind.CLASS
                return ClassValue(symbol) if is_class else FunctionValue(symbol)
            case BindingKind.IMPORT:
                return self.import_value(state, state.facts.imports[binding.index])
            case BindingKind.VALUE:
                return self.evaluate(state, binding.scope, binding.expression)
            case BindingKind.ANNOTATION:
                return self._annotation(state, binding.scope, binding.expression)
            case BindingKind.ELEMENT:
                return self.element(self.evaluate(state, binding.scope, binding.expression), "__iter__")
            case BindingKind.ENTERED:
                return self._entered(self.evaluate(state, binding.scope, binding.expression))
            case BindingKind.CAUGHT:
                value = self.evaluate(state, binding.scope, binding.expression)
                return self.call(value) if isinstance(value, ClassValue | BuiltinValue) else UNTYPED
            case BindingKind.INSTANCE | BindingKind.OWN_CLASS:
                owner = state.symbols[state.facts.scopes[binding.scope].definition]
                return InstanceValue(owner) if binding.kind == BindingKind.INSTANCE else ClassValue(owner)
            case _:
                return UNTYPED

    def _annotation(self, state: FileState, scope: int, text: str, own: Value | None = None) -> Value:
        key = (scope, text)
        if own is None:
            owner = self._class_around(state, scope)
            own = InstanceValue(owner) if owner is not None else UNTYPED
        elif "Self" in text:
            return read_annotation(text, lambda name: self.evaluate(state, scope, name), own=own)
        return self._remembered(
            state.annotations,
            key,
            lambda: read_annotation(text, lambda name: self.evaluate(state, scope, name), own=own),
        )

    def _entered(self, value: Value) -> Value:
        if isinstance(value, ElementsValue):
            return value.element
        if isinstance(value, OutsideValue | BuiltinValue):
            return value
        if not isinstance(value, InstanceValue):
            return UNTYPED
        for name in ("__enter__", "__aenter__"):
            method = self._class_member(value.symbol, name, raw=False)
            if isinstance(method, FunctionValue):
                return self._returned(method)
        return UNTYPED

    def _returned(self, function: FunctionValue) -> Value:
        definition = function.symbol.definition
        kept = [decorator.removesuffix("()").rpartition(".")[2] for decorator in definition.decorators]
        if any(decorator not in _KEEPING and decorator not in _MANAGERS for decorator in kept):
            return UNTYPED
        state = self._states[function.symbol.facts.path]
        if definition.returns:
            own = InstanceValue(function.owner) if function.owner is not None else None
            return self._annotation(state, definition.scope, definition.returns, own)
        if "return" not in state.facts.scopes[definition.own_scope].names:
            return UNTYPED
        value = self.bound(state, definition.own_scope, "return")
        if isinstance(value, InstanceValue) and function.owner is not None:
            home = state.facts.scopes[definition.scope].definition
            if home >= 0 and value.symbol is state.symbols[home]:
                return InstanceValue(function.owner)
        return value

    def _class_member(self, symbol: Symbol, name: str, *, raw: bool, above: bool = False) -> Value:
        lineage = self.lineage(symbol)
        for ancestor in lineage.classes[1:] if above else lineage.classes:
            value = self.raw_member(ancestor, name)
            if value is None:
                continue
            if isinstance(value, FunctionValue):
                bound = FunctionValue(value.symbol, symbol)
                return self._returned(bound) if not raw and is_property(value.symbol) else bound
            if "enum" in lineage.outside_bases and isinstance(value, BuiltinValue):
                return InstanceValue(symbol)
            return value
        if any(builtin_has(base, name) for base in lineage.builtin_bases):
            return BuiltinValue(f"object.{name}")
        if lineage.is_open:
            return INHERITED_OUTSIDE
        if builtin_has("object", name):
            return BuiltinValue(f"object.{name}")
        dynamic = any(self.raw_member(ancestor, "__getattr__") is not None for ancestor in lineage.classes)
        return DYNAMIC if dynamic else NO_ATTRIBUTE

    def _class_around(self, state: FileState, scope: int) -> Symbol | None:
        while scope > 0:
            here = state.facts.scopes[scope]
            if here.kind == ScopeKind.CLASS:
                return state.symbols[here.definition]
            scope = here.parent
        return None

    def _linearise(self, symbol: Symbol) -> Lineage:
        state = self._states[symbol.facts.path]
        parents: list[Lineage] = []
        builtin_bases: list[str] = []
        outside: list[str] = []
        unknown = False
        for scope, expression in state.bases.get(symbol.index, ()):
            value = self.evaluate(state, scope, expression.removesuffix("[]"))
            if isinstance(value, ClassValue) and value.symbol is not symbol:
                parents.append(self.lineage(value.symbol))
            elif isinstance(value, BuiltinValue) and is_builtin_type(value.name):
                builtin_bases += [value.name] if value.name != "object" else []
            elif isinstance(value, OutsideValue):
                outside += [value.package] if value.name.rpartition(".")[2] not in IGNORED_BASES else []
            else:
                unknown = True
        return Lineage(
            (symbol, *merge_orders([parent.classes for parent in parents])),
            tuple(dict.fromkeys((*builtin_bases, *(name for parent in parents for name in parent.builtin_bases)))),
            tuple(dict.fromkeys((*outside, *(name for parent in parents for name in parent.outside_bases)))),
            unknown_base=unknown or any(parent.unknown_base for parent in parents),
        )


def is_property(symbol: Symbol) -> bool:
    """Whether reading the attribute runs the function."""
    return any(decorator.rpartition(".")[2] in _PROPERTIES for decorator in symbol.definition.decorators)


def _is_visible(scope: Scope, reader: Scope) -> bool:
    # The body of a class is seen by itself alone; a comprehension right in it reads its first iterable there.
    return scope.kind != ScopeKind.CLASS or reader.kind == ScopeKind.COMPREHENSION


def _live(state: FileState, named: list[Binding]) -> list[Binding]:
    """The definitions and imports that later ones at the same or an outer level don't replace."""
    if len(named) == 1:
        return named
    ordered = sorted(named, key=lambda binding: _position(state.facts, binding))
    plain = [binding for binding in ordered if not _is_accessor(state.facts, binding)] or ordered
    live: list[Binding] = []
    for place, binding in enumerate(plain):
        later = {other.branch for other in plain[place + 1 :]}
        branch = binding.branch
        while branch >= 0 and branch not in later:
            branch = state.facts.branches[branch]
        if branch not in later:
            live.append(binding)
    return live


def _position(facts: FileFacts, binding: Binding) -> int:
    if binding.kind == BindingKind.DEFINITION:
        return facts.definitions[binding.index].start
    return facts.imports[binding.index].start


def _is_accessor(facts: FileFacts, binding: Binding) -> bool:
    if binding.kind != BindingKind.DEFINITION:
        return False
    return any(decorator.endswith(_ACCESSORS) for decorator in facts.definitions[binding.index].decorators)
