"""What Python expressions of a project stand for, found without running it.

Variables are taken without regard to the order of statements: one that is given values of several types, or any
that can't be followed, is unknown. A call on `self` or on a typed value means the method that its static class
has, though a subclass may override it.
"""

import re
from collections.abc import Callable, Mapping

from extraction.code.facts import Binding, BindingKind, DefinitionKind, Scope, ScopeKind
from extraction.code.languages.python_annotations import read_annotation
from extraction.code.languages.python_imports import ImportLookup
from extraction.code.languages.python_merging import builtin_result, choice_of, merge_orders, merged
from extraction.code.languages.python_modules import ModuleIndex
from extraction.code.languages.python_replacement import live_bindings
from extraction.code.languages.python_states import FileState
from extraction.code.languages.python_values import (
    BUILTINS,
    CYCLE,
    DYNAMIC,
    IGNORED_BASES,
    INHERITED_OUTSIDE,
    NO_ATTRIBUTE,
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


class Evaluator:
    """Evaluates expressions over all files of a project; remembers what it found."""

    def __init__(self, states: Mapping[str, FileState], modules: ModuleIndex) -> None:
        self._states = states
        self.imports = ImportLookup(states, modules, self.bound)
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
                return self.imports.member(value, name)
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
                owner = state.class_around(scope)
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
        starred = self.imports.starred(state, name)
        if starred is not None and not (starred is STAR_OUTSIDE and name in BUILTINS):
            return starred
        return BuiltinValue(name) if name in BUILTINS else UNKNOWN_NAME

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
        counted = [*live_bindings(state.facts, named), *others]
        values = [self._binding_value(state, binding) for binding in counted]
        if CYCLE in values:
            values = self._without_cycles(state, counted, values)
        return merged(values, alternatives=bool(named))

    def _without_cycles(self, state: FileState, bindings: list[Binding], values: list[Value]) -> list[Value]:
        """Settle what a name is given from itself.

        `str = str` is the builtin; an import of a name from where it is defined adds nothing; `text = text.copy()` is
        dropped where that keeps the class.
        """
        pairs = [
            (binding, BuiltinValue(binding.expression) if _is_builtin_alias(binding, value) else value)
            for binding, value in zip(bindings, values, strict=True)
            if not (binding.kind == BindingKind.IMPORT and value == CYCLE and len(bindings) > 1)
        ]
        bindings, values = [binding for binding, _ in pairs], [value for _, value in pairs]
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
                return self.imports.value(state, state.facts.imports[binding.index])
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
            owner = state.class_around(scope)
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


def _is_builtin_alias(binding: Binding, value: Value) -> bool:
    return value == CYCLE and binding.kind == BindingKind.VALUE and binding.expression in BUILTINS


def is_property(symbol: Symbol) -> bool:
    """Whether reading the attribute runs the function."""
    return any(decorator.rpartition(".")[2] in _PROPERTIES for decorator in symbol.definition.decorators)


def _is_visible(scope: Scope, reader: Scope) -> bool:
    # The body of a class is seen by itself alone; a comprehension right in it reads its first iterable there.
    return scope.kind != ScopeKind.CLASS or reader.kind == ScopeKind.COMPREHENSION
