"""Which file an imported name of a module means."""

import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache

SUFFIXES = (".py", ".pyi", ".pyw")
_STANDARD = frozenset(sys.stdlib_module_names)


@dataclass(frozen=True, slots=True)
class Located:
    """Where a dotted name leads.

    `path` is the module's file. `folder` is the folder of a package, with or without `__init__`; both None: not in
    the project. `missing` says why a name that should be in the project is not there.
    """

    path: str | None = None
    folder: str | None = None
    missing: str | None = None


OUTSIDE = Located()


class ModuleIndex:
    """The modules of a folder by where they lie.

    An absolute import looks into the folders above the importing file that are not packages, the nearest first;
    then into the source roots: the given ones, and top folders and `src` folders that hold packages.
    """

    def __init__(self, paths: Iterable[str], source_roots: Sequence[str] = ()) -> None:
        self._modules: dict[str, str] = {}
        self._folders: set[str] = {""}
        self.packages: dict[str, str] = {}
        for path in sorted(paths, key=_by_preference, reverse=True):
            self._add(path)
        self._roots = (*sorted({root.strip("/").removeprefix("./") for root in source_roots}), *self._find_roots())
        self._find_cached = cache(self._find)
        self._near_cached = cache(self._near_roots)

    def parent_package(self, path: str) -> str | None:
        """The file of the package that a module lies in, None at the top."""
        folder = _folder(path)
        if _is_init(path):
            folder = _folder(folder) if folder else ""
            if self.packages.get(folder) == path:
                return None
        return self.packages.get(folder)

    def child(self, folder: str, name: str) -> Located:
        """A module or folder inside a folder."""
        inner = f"{folder}/{name}" if folder else name
        package = self.packages.get(inner)
        if package is not None:
            return Located(package, inner)
        module = self._modules.get(inner)
        if module is not None:
            return Located(module)
        return Located(folder=inner) if inner in self._folders else OUTSIDE

    def folder_of(self, path: str) -> str | None:
        """The folder whose modules are attributes of this one; None for a module that is no package."""
        return _folder(path) if _is_init(path) else None

    def find_absolute(self, name: str, importer: str) -> Located:
        """Look up `a.b.c` as seen by a file."""
        return self._find_cached(name, _folder(importer))

    def find_relative(self, name: str, importer: str) -> Located:
        """Look up `..a.b` as seen by a file."""
        dots = len(name) - len(name.lstrip("."))
        parts = _folder(importer).split("/") if _folder(importer) else []
        if dots - 1 > len(parts):
            return Located(missing="beyond the top of the folder")
        folder = "/".join(parts[: len(parts) - dots + 1])
        rest = [part for part in name[dots:].split(".") if part]
        if not rest:
            return Located(self.packages.get(folder), folder)
        found = self._descend(folder, rest)
        return found if found.path or found.folder is not None else Located(missing="no such module")

    def _add(self, path: str) -> None:
        stem = path.rsplit(".", 1)[0]
        folder = _folder(path)
        if _is_init(path):
            self.packages[folder] = path
        else:
            self._modules[stem] = path
        while folder not in self._folders:
            self._folders.add(folder)
            folder = _folder(folder)

    def _find_roots(self) -> list[str]:
        roots = {_folder(package) for package in self.packages if package}
        roots = {root for root in roots if root not in self.packages and (root.count("/") == 0 or _is_src(root))}
        return sorted(roots | {""} | ({"src"} & self._folders))

    def _near_roots(self, folder: str) -> tuple[str, ...]:
        near: list[str] = []
        while True:
            if folder not in self.packages or not folder:
                near.append(folder)
            if not folder:
                return tuple(near)
            folder = _folder(folder)

    def _find(self, name: str, folder: str) -> Located:
        parts = name.split(".")
        missing: Located | None = None
        near = self._near_cached(folder)
        for root in near:
            found = self._descend(root, parts)
            if found.path is not None:
                return found
            missing = missing or self._missing(root, parts)
        if missing is not None or parts[0] in _STANDARD:
            return missing or OUTSIDE
        return self._find_elsewhere(parts, [root for root in self._roots if root not in near])

    def _find_elsewhere(self, parts: list[str], roots: list[str]) -> Located:
        found = {located for root in dict.fromkeys(roots) if (located := self._descend(root, parts)).path is not None}
        if len(found) > 1:
            return Located(missing="ambiguous module")
        if found:
            return found.pop()
        missing = [located for root in roots if (located := self._missing(root, parts))]
        return missing[0] if missing else OUTSIDE

    def _missing(self, root: str, parts: list[str]) -> Located | None:
        """A name whose first part is a regular package here can't come from anywhere else."""
        first = f"{root}/{parts[0]}" if root else parts[0]
        if first in self.packages:
            return Located(missing="no such module")
        return None

    def _descend(self, folder: str, parts: Sequence[str]) -> Located:
        for part in parts[:-1]:
            inner = self.child(folder, part)
            if inner.folder is None:
                return OUTSIDE
            folder = inner.folder
        return self.child(folder, parts[-1])


def module_name(path: str) -> str:
    """The last part of a module's dotted name: its package's name for an `__init__`."""
    folder, _, base = path.rpartition("/")
    stem = base.rsplit(".", 1)[0]
    return folder.rpartition("/")[2] if stem == "__init__" and folder else stem


def _is_init(path: str) -> bool:
    return path.rpartition("/")[2].rsplit(".", 1)[0] == "__init__"


def _is_src(folder: str) -> bool:
    return folder.rpartition("/")[2] == "src"


def _folder(path: str) -> str:
    return path.rpartition("/")[0]


def _by_preference(path: str) -> tuple[int, str]:
    # A source wins over the stub beside it.
    return (SUFFIXES.index(suffix) if (suffix := path[path.rfind(".") :]) in SUFFIXES else len(SUFFIXES), path)
