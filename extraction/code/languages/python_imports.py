"""What import statements and the members of modules stand for."""

from collections.abc import Callable, Mapping

from extraction.code.facts import Import
from extraction.code.languages.python_modules import Located, ModuleIndex
from extraction.code.languages.python_states import FileState
from extraction.code.languages.python_values import (
    BUILTINS,
    CYCLE,
    DYNAMIC,
    NO_ATTRIBUTE,
    NO_MODULE,
    STAR_OUTSIDE,
    BuiltinValue,
    ModuleValue,
    OutsideValue,
    UnknownValue,
    Value,
)


class ImportLookup:
    """Looks up modules and their members. `bound` gives what a name that a scope binds stands for."""

    def __init__(
        self,
        states: Mapping[str, FileState],
        modules: ModuleIndex,
        bound: Callable[[FileState, int, str], Value],
    ) -> None:
        self._states = states
        self._modules = modules
        self._bound = bound

    def target(self, state: FileState, item: Import) -> Located:
        """Where the module of an import statement is."""
        path = state.facts.path
        if item.module.startswith("."):
            return self._modules.find_relative(item.module, path)
        return self._modules.find_absolute(item.module, path)

    def value(self, state: FileState, item: Import) -> Value:
        """What an imported name stands for."""
        located = self.target(state, item)
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
        return self.member(ModuleValue(located.path, located.folder), item.name)

    def member(self, module: ModuleValue, name: str) -> Value:
        """An attribute of a module: a name it binds, a submodule, or what a star import brings."""
        state = self._states.get(module.path) if module.path is not None else None
        missing = NO_ATTRIBUTE
        if state is not None and name in state.facts.scopes[0].names:
            value = self._bound(state, 0, name)
            if value != CYCLE:
                return value
            missing = CYCLE
        if module.folder is not None:
            child = self._modules.child(module.folder, name)
            if child.path is not None or child.folder is not None:
                return ModuleValue(child.path, child.folder)
        if state is None:
            return NO_ATTRIBUTE
        starred = self.starred(state, name)
        if starred is not None:
            return starred
        if name.startswith("__") and name in BUILTINS:
            return BuiltinValue("str", is_instance=True)
        return DYNAMIC if "__getattr__" in state.facts.scopes[0].names else missing

    def starred(self, state: FileState, name: str) -> Value | None:
        """What the file's star imports bring under a name; None when they don't."""
        if not state.stars:
            return None
        if name not in state.starred:
            state.starred[name] = None
            state.starred[name] = self._search_stars(state, name)
        return state.starred[name]

    def _search_stars(self, state: FileState, name: str) -> Value | None:
        outside = False
        for item in reversed(state.stars):
            located = self.target(state, item)
            source = self._states.get(located.path) if located.path is not None else None
            if source is None:
                outside = True
            elif self._exports(source, name):
                value = self.member(ModuleValue(located.path, None), name)
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
