"""Walking a folder for the files to index, and for those left out with the reason."""

import os
import stat
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from extraction.ignore import (
    BUILD_FOLDERS,
    GIT_RULES,
    HOUSEKEEPING_FOLDERS,
    OWN_RULES,
    TELLTALE_FILES,
    RuleFile,
    find_folder_reason,
    load_rules,
)
from extraction.report import FileOutcome
from extraction.selection import Selection
from extraction.source import MAX_BYTES, describe_limit, describe_trouble
from graph.errors import InvalidInput


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file to index; `path` is relative to the folder, with `/`."""

    path: str
    absolute: Path
    size: int


@dataclass(frozen=True, slots=True)
class Scan:
    """What a folder holds, each tuple sorted by path.

    `skipped` has only files whose suffix was asked for, and folders (ending in `/`) that were not entered;
    `failed` has folders and ignore files that could not be read; what such a folder holds is not known.
    """

    root: Path
    files: tuple[SourceFile, ...]
    skipped: tuple[FileOutcome, ...]
    failed: tuple[FileOutcome, ...]


def scan_folder(
    root: Path,
    *,
    suffixes: frozenset[str],
    selection: Selection | None = None,
    max_bytes: int = MAX_BYTES,
    limits: Mapping[str, int] | None = None,
) -> Scan:
    """Find the files below `root` that end in one of `suffixes` (lower case, with the dot) and are asked for.

    Files of more than `max_bytes` are skipped; `limits` has other sizes for some suffixes. Symbolic links to
    folders are not followed; a link to a file stands for it only where that lies below `root` and is not found
    itself. Raises InvalidInput when `root` is no folder that can be read.
    """
    real = get_folder(root)
    walk = _Walk(
        root=real, suffixes=suffixes, selection=selection or Selection(), max_bytes=max_bytes, limits=limits or {}
    )
    own, git = walk.load_parents()
    walk.run(own, git)
    walk.settle_links()
    return Scan(
        root=real,
        files=tuple(sorted(walk.files, key=lambda file: file.path)),
        skipped=tuple(sorted(walk.skipped, key=lambda outcome: outcome.path)),
        failed=tuple(sorted(walk.failed, key=lambda outcome: outcome.path)),
    )


def show_name(path: str) -> str:
    """Return a path fit for a report: bytes that are not UTF-8 as backslash escapes."""
    return os.fsencode(path).decode("utf-8", "backslashreplace")


def get_folder(root: Path) -> Path:
    """Return the folder with its links resolved. Raises InvalidInput, with what to do, when it can't be read."""
    shown = show_name(str(root))
    try:
        real = root.expanduser().resolve(strict=True)
        if not real.is_dir():
            raise InvalidInput(f"{shown} is a file. Give the folder that holds it.")
        with os.scandir(real):
            return real
    except FileNotFoundError as exc:
        raise InvalidInput(f"There is no folder {shown}. Check the spelling, or give an absolute path.") from exc
    except PermissionError as exc:
        raise InvalidInput(f"No permission to read {shown}. Run as its owner, or change its permissions.") from exc
    except (OSError, ValueError, RuntimeError) as exc:
        raise InvalidInput(f"{shown} can't be read: {describe_trouble(exc)}. Give a folder that can.") from exc


_Rules = tuple[RuleFile, ...]
_EXCLUDED = "left out by `exclude`"


@dataclass(slots=True)
class _Walk:
    """One walk over one folder. Rules want paths from the top of its repository: `prefix` and ours."""

    root: Path
    suffixes: frozenset[str]
    selection: Selection
    max_bytes: int
    limits: Mapping[str, int]
    prefix: str = ""
    files: list[SourceFile] = field(default_factory=list[SourceFile])
    links: list[str] = field(default_factory=list[str])
    skipped: list[FileOutcome] = field(default_factory=list[FileOutcome])
    failed: list[FileOutcome] = field(default_factory=list[FileOutcome])

    # -- rules

    def load_parents(self) -> tuple[_Rules, _Rules]:
        """Return the rules from above the folder, up to the top of its git repository, nearest first."""
        top = next((up for up in (self.root, *self.root.parents) if _exists(up / ".git")), None)
        if top is None:
            return (), ()
        self.prefix = "".join(f"{part}/" for part in self.root.relative_to(top).parts)
        own: _Rules = ()
        git = self._load(top / ".git/info/exclude", base="", shown=".git/info/exclude")
        folder, base = top, ""
        for part in self.root.relative_to(top).parts:
            own = self._load(folder / OWN_RULES, base=base, shown=base + OWN_RULES) + own
            git = self._load(folder / GIT_RULES, base=base, shown=base + GIT_RULES) + git
            folder, base = folder / part, f"{base}{part}/"
            if _find_verdict(own + git, base):
                return (), ()  # a folder that its repository ignores was asked for by name
        return own, git

    def _load(self, file: Path, *, base: str, shown: str) -> _Rules:
        try:
            rules = load_rules(file, shown=shown, base=base)
        except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
            return ()
        except OSError as exc:
            self.failed.append(FileOutcome(show_name(shown.removeprefix(self.prefix)), describe_trouble(exc)))
            return ()
        return (rules,) if rules else ()

    # -- folders

    def run(self, own: _Rules, git: _Rules) -> None:
        """Walk the whole folder, depth by a stack: a tree may be deeper than Python's recursion goes."""
        stack = [("", own, git)]
        while stack:
            folder, own, git = stack.pop()
            try:
                with os.scandir(self.root / folder) as listing:
                    entries = list(listing)
            except OSError as exc:
                self.failed.append(FileOutcome(folder or "./", describe_trouble(exc)))
                continue
            names = {entry.name for entry in entries}
            if folder and (reason := self._find_telltale(folder, names, own)):
                self.skipped.append(FileOutcome(folder, reason))
                continue
            base = self.prefix + folder
            if OWN_RULES in names:
                own = self._load(self.root / folder / OWN_RULES, base=base, shown=base + OWN_RULES) + own
            if GIT_RULES in names:
                git = self._load(self.root / folder / GIT_RULES, base=base, shown=base + GIT_RULES) + git
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    if self._enters(folder, entry.name, own, git):
                        stack.append((f"{folder}{entry.name}/", own, git))
                else:
                    self._take(folder, entry, own, git)

    def _find_telltale(self, folder: str, names: set[str], own: _Rules) -> str | None:
        reason = next((what for file, what in TELLTALE_FILES.items() if file in names), None)
        name = folder[:-1].rpartition("/")[2]
        if reason is None and name in BUILD_FOLDERS and "__init__.py" not in names:
            reason = "build output"
        return None if reason and _find_verdict(own, self.prefix + folder) is not None else reason

    def _enters(self, folder: str, name: str, own: _Rules, git: _Rules) -> bool:
        path = f"{folder}{name}/"
        if name in HOUSEKEEPING_FOLDERS:
            return False
        if not _is_utf8(name):
            self.skipped.append(FileOutcome(show_name(path), "its name is not UTF-8"))
            return False
        if reason := self._find_reason(path, own, git):
            self.skipped.append(FileOutcome(path, reason))
            return False
        if self.selection.excludes(path):
            self.skipped.append(FileOutcome(path, _EXCLUDED))
            return False
        return True

    def _find_reason(self, path: str, own: _Rules, git: _Rules) -> str | None:
        """Return why rules leave an entry out, or None to keep it."""
        asked = self.prefix + path
        for rules in own:
            if (ignores := rules.find_verdict(asked)) is not None:
                return f"ignored by {rules.shown.removeprefix(self.prefix)}" if ignores else None
        if path.endswith("/") and (reason := find_folder_reason(path[:-1].rpartition("/")[2])):
            return reason
        for rules in git:
            if (ignores := rules.find_verdict(asked)) is not None:
                return f"ignored by {rules.shown.removeprefix(self.prefix)}" if ignores else None
        return None

    # -- files

    def _take(self, folder: str, entry: os.DirEntry[str], own: _Rules, git: _Rules) -> None:
        name, path = entry.name, folder + entry.name
        wanted = _suffix(name) in self.suffixes
        link = entry.is_symlink()
        if not wanted and not link:
            return
        if not _is_utf8(name):
            if wanted:
                self.skipped.append(FileOutcome(show_name(path), "its name is not UTF-8"))
            return
        if not self.selection.includes(path):
            return
        reason = self._find_reason(path, own, git) or (_EXCLUDED if self.selection.excludes(path) else None)
        if reason:
            if wanted:
                self.skipped.append(FileOutcome(path, reason))
            return
        if link:
            self._take_link(path, wanted=wanted)
        else:
            self._add(path, self.root / path)

    def _take_link(self, path: str, *, wanted: bool) -> None:
        absolute = self.root / path
        try:
            target = absolute.resolve(strict=True)
            is_folder = target.is_dir()
        except FileNotFoundError:
            reason = "a link to nothing"
        except (OSError, RuntimeError):  # RuntimeError: how Python up to 3.12 tells of a loop
            reason = "a link that can't be followed"
        else:
            inside = target.is_relative_to(self.root)
            if inside and wanted and not is_folder:
                self.links.append(path)
            if inside:
                return  # a folder's files are found at their own place
            reason, wanted = f"a link out of the folder, to {show_name(str(target))}", wanted or is_folder
            path = f"{path}/" if is_folder else path
        if wanted:
            self.skipped.append(FileOutcome(path, reason))

    def settle_links(self) -> None:
        """Index the file behind a link, once, and only where it is not indexed at its own place."""
        known = {file.absolute: file.path for file in self.files}
        for path in sorted(self.links):
            target = (self.root / path).resolve()
            if target in known:
                self.skipped.append(FileOutcome(path, f"a link to {known[target]}"))
            elif self._add(path, target):
                known[target] = path

    def _add(self, path: str, absolute: Path) -> bool:
        try:
            status = absolute.stat()
        except OSError as exc:
            self.failed.append(FileOutcome(path, describe_trouble(exc)))
            return False
        if not stat.S_ISREG(status.st_mode):
            self.skipped.append(FileOutcome(path, "not a regular file"))
        elif status.st_size > (limit := self.limits.get(_suffix(path), self.max_bytes)):
            self.skipped.append(FileOutcome(path, describe_limit(limit)))
        else:
            self.files.append(SourceFile(path=path, absolute=absolute, size=status.st_size))
            return True
        return False


def _find_verdict(rules: _Rules, path: str) -> bool | None:
    return next((verdict for rule in rules if (verdict := rule.find_verdict(path)) is not None), None)


def _is_utf8(name: str) -> bool:
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except OSError:
        return False


def _suffix(path: str) -> str:
    """The ending in lower case, with the dot; none for a name that only begins with one."""
    name = path.rpartition("/")[2]
    return name[name.rfind(".") :].lower() if name.rfind(".") > 0 else ""
