"""What tenants have outside their databases: in each of some folders one of their own, by its directory name."""

import shutil
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from graph.errors import NotAvailable

_TRIES: Final = 5


def remove_belongings(places: Sequence[Path], directory: str) -> None:
    """Remove a tenant's folder in each of the places. Raises OSError where one can't be removed."""
    for place in places:
        _remove_tree(place / directory)


@contextmanager
def mapped_folder_errors() -> Generator[None]:
    """Make a folder that can't be used a NotAvailable."""
    try:
        yield
    except OSError as exc:
        raise NotAvailable(
            f"A folder that is needed can't be used: {exc.strerror or exc}: {exc.filename or 'no name'}. Make room or"
            " mend its permissions, or choose another one for data or cache; `cogniverse doctor` tells more."
        ) from exc


def _remove_tree(folder: Path) -> None:
    for _ in range(_TRIES):  # somebody may be in the middle of a write
        shutil.rmtree(folder, ignore_errors=True)
        if not folder.exists():
            return
    shutil.rmtree(folder)  # to hear why
