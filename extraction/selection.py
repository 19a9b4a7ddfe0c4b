"""Which files of a folder are asked for, by globs as in .gitignore."""

import re
from collections.abc import Sequence
from typing import Final

from pathspec import PathSpec
from pathspec.patterns.gitignore.base import GitIgnorePatternError
from pathspec.patterns.gitignore.spec import GitIgnoreSpecPattern

from graph.errors import InvalidInput

_MAX_GLOBS: Final = 100
_MAX_CHARS: Final = 300
# Each star may stand for anything, and all ways are tried: many of them cost more time than any folder is worth.
_MAX_STARS: Final = 3
_STARS: Final = re.compile(r"\*+")


class Selection:
    """Globs over paths from the folder's root.

    A file is asked for when `include` is empty or matches it, and `exclude` does not. A folder that `exclude` matches
    is left out whole; `!glob` takes back what an earlier one said.
    """

    def __init__(self, include: Sequence[str] = (), exclude: Sequence[str] = ()) -> None:
        """Raises InvalidInput, with its name, for a glob that can't be taken."""
        self._include = _compile("include", include)
        self._exclude = _compile("exclude", exclude)

    def includes(self, path: str) -> bool:
        """Whether a file is asked for, `exclude` aside."""
        return self._include is None or self._include.match_file(path)

    def excludes(self, path: str) -> bool:
        """Whether a file, or a folder (ending in `/`), is left out."""
        return self._exclude is not None and self._exclude.match_file(path)


def _compile(what: str, globs: Sequence[str]) -> PathSpec[GitIgnoreSpecPattern] | None:
    if not globs:
        return None
    if len(globs) > _MAX_GLOBS:
        raise InvalidInput(f"{len(globs)} globs in {what} are too many: give at most {_MAX_GLOBS}.")
    return PathSpec([_pattern(what, glob) for glob in globs])


def _pattern(what: str, glob: str) -> GitIgnoreSpecPattern:
    parts = glob.split("/")
    stars = [parts.count("**"), *(len(_STARS.findall(part)) for part in parts)]
    if len(glob) > _MAX_CHARS or max(stars) > _MAX_STARS:
        raise InvalidInput(
            f"The {what} glob {glob[:80]!r} is too long: give at most {_MAX_CHARS} characters, {_MAX_STARS} stars in a"
            f" name and {_MAX_STARS} times `**`. Several globs do the same."
        )
    try:
        pattern = GitIgnoreSpecPattern(glob)
    except GitIgnorePatternError as exc:
        raise InvalidInput(
            f"The {what} glob {glob!r} can't be read: write it as in .gitignore, like `src/**`."
        ) from exc
    if pattern.include is None:
        raise InvalidInput(f"The {what} glob {glob!r} says nothing: write it as in .gitignore, like `src/**`.")
    return pattern
