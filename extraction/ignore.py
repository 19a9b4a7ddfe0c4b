"""What a scan leaves out by rule: .gitignore and .cogniverseignore files, and folders of others' code.

Rules are asked about one entry at a time, when its parents are known to be kept, which is how git reads them:
a folder that is left out is never entered, so nothing below it can be brought back.
Source: https://git-scm.com/docs/gitignore
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from pathspec.patterns.gitignore.base import GitIgnorePatternError
from pathspec.patterns.gitignore.spec import GitIgnoreSpecPattern

GIT_RULES = ".gitignore"
OWN_RULES = ".cogniverseignore"

# Left out without a word: they never hold source.
HOUSEKEEPING_FOLDERS = frozenset(
    {".git", ".hg", ".svn", ".bzr", ".jj", "CVS", "_darcs", "__pycache__", ".ipynb_checkpoints"}
    | {
        ".mypy_cache",
        ".pytest_cache",
        ".ruff_cache",
        ".hypothesis",
        ".import_linter_cache",
        ".idea",
        ".gradle",
    }
)
# Left out and reported, with what they hold; a `!folder/` line in .cogniverseignore keeps one.
VENDORED_FOLDERS: dict[str, str] = {
    **dict.fromkeys(
        (
            "node_modules",
            "bower_components",
            "jspm_packages",
            "site-packages",
            "dist-packages",
            "Pods",
            ".yarn",
        ),
        "installed packages",
    ),
    **dict.fromkeys(("vendor", "_vendor", "vendored", "third_party", "third-party", "thirdparty"), "vendored code"),
    **dict.fromkeys((".venv", ".tox", ".nox", ".pixi"), "a virtual environment"),
    **dict.fromkeys((".eggs", ".next", ".nuxt", ".svelte-kit", ".parcel-cache", ".turbo"), "build output"),
}
# As above, unless the folder is itself a Python package: `src/build/__init__.py` is somebody's source.
BUILD_FOLDERS = frozenset({"build", "dist", "target"})
# A file by which a folder tells what it is.
TELLTALE_FILES = {"pyvenv.cfg": "a virtual environment", "CACHEDIR.TAG": "a cache"}

_DIR_MARK = "ps_d"
_ANY_FOLDER = f"(?P<{_DIR_MARK}>/)"


@dataclass(frozen=True, slots=True)
class RuleFile:
    """The rules of one ignore file, last first, for paths that begin with `base` ("" or ending in `/`)."""

    shown: str
    base: str
    rules: tuple[tuple[bool, re.Pattern[str]], ...]
    any_rule: re.Pattern[str]

    def find_verdict(self, path: str) -> bool | None:
        """Tell whether to leave `path` out; None when no rule speaks of it. A folder's path ends in `/`."""
        below = path[len(self.base) :]
        if not path.startswith(self.base) or not self.any_rule.search(below):
            return None
        for ignores, pattern in self.rules:
            match = pattern.search(below)
            # A match that ends before the entry does is one of a parent folder, which was kept.
            if match and match.groupdict().get(_DIR_MARK) is None:
                return ignores
            if match and match.end(_DIR_MARK) == len(below):
                return ignores
        return None


def load_rules(file: Path, *, shown: str, base: str) -> RuleFile | None:
    """Read an ignore file; None when it has no rules. Raises OSError."""
    text = file.read_bytes().decode("utf-8-sig", "surrogateescape")
    rules = tuple(_compile(text.split("\n")))[::-1]
    if not rules:
        return None
    # One search over all rules at once: most paths are spoken of by none.
    union = "|".join(pattern.pattern.replace(_ANY_FOLDER, "/") for _, pattern in rules)
    return RuleFile(shown=shown, base=base, rules=rules, any_rule=re.compile(union))


def find_folder_reason(name: str) -> str | None:
    """Return what a folder of this name holds instead of one's own source, or None."""
    if name.endswith(".egg-info"):
        return "build output"
    return VENDORED_FOLDERS.get(name)


def _compile(lines: Iterable[str]) -> Iterable[tuple[bool, re.Pattern[str]]]:
    for line in lines:
        try:
            # `a/**/` is the folders in `a`; the library takes it for `a` itself.
            pattern = GitIgnoreSpecPattern(re.sub(r"/\*\*/\s*$", "/**/*/", line.removesuffix("\r")))
        except GitIgnorePatternError:
            continue  # git, too, passes over a rule that it can't read
        regex = cast("re.Pattern[str] | None", pattern.regex)
        if pattern.include is None or regex is None:
            continue
        if regex.pattern == _ANY_FOLDER:
            regex = re.compile("/$")
        elif regex.pattern.endswith("/"):  # `a/**` is what lies in `a`, not `a`
            regex = re.compile(f"{regex.pattern}.")
        yield bool(pattern.include), regex
