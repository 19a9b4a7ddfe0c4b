"""One set of numbers for all worker processes of a service."""

import os
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

# The library's own switch, looked at when it is first imported. Source:
# https://prometheus.github.io/client_python/multiprocess/
_SWITCH: Final = "PROMETHEUS_MULTIPROC_DIR"


@contextmanager
def shared_metrics() -> Generator[None]:
    """Have the processes that are started within add their numbers up, whichever of them is asked."""
    with TemporaryDirectory(prefix="cogniverse-metrics-", ignore_cleanup_errors=True) as folder:
        os.environ[_SWITCH] = folder
        try:
            yield
        finally:
            del os.environ[_SWITCH]


def find_shared_metrics() -> Path | None:
    """Return the folder of the shared numbers, None when this process keeps its own."""
    folder = os.environ.get(_SWITCH)
    return Path(folder) if folder else None
