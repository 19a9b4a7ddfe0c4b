"""Files and folders on the server, of which only what lies under the allowed roots may be ingested."""

from collections.abc import Sequence
from pathlib import Path

from graph.errors import InvalidInput


def resolve_under_roots(path: str, roots: Sequence[Path]) -> Path:
    """Return a file or folder under one of the roots, its links resolved; a relative path is tried under each root.

    Raises InvalidInput for everything else, in the same words whether or not it is there. Blocking, but short.
    """
    if roots and path.strip() and "\0" not in path:
        for root in roots:
            found = _find_below(root, path)
            if found is not None:
                return found
    hint = "it must be there and lie under" if roots else "no folder is allowed: set"
    raise InvalidInput(f"The path {path[:200]!r} can't be ingested: {hint} one of COGNIVERSE_ALLOWED_ROOTS.")


def _find_below(root: Path, path: str) -> Path | None:
    try:
        top = root.expanduser().resolve(strict=True)
        found = (top / path).resolve(strict=True)
    except (OSError, ValueError, RuntimeError):  # RuntimeError: how Python up to 3.12 tells of a loop
        return None
    return found if found.is_relative_to(top) else None
