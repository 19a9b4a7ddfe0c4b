"""An ingest in a process of its own, for tests that kill it: `python -m tests.ingest FOLDER`.

Settings come from the environment. It prints the path of each document when its facts are stored, and ends as a command
does: an expected error is one line and exit code 1.
"""

import asyncio
import sys
from pathlib import Path

import extraction.batches
from api.config import load_settings
from api.opening import open_database
from extraction.pipeline import IndexOptions, index_folder
from graph.errors import CogniverseError
from graph.model import DocumentStatus


def acknowledge(path: str, status: DocumentStatus, _reason: str | None) -> None:
    if status is DocumentStatus.DONE:
        sys.stdout.write(f"{path}\n")
        sys.stdout.flush()


async def main(root: Path, prefix: str) -> None:
    settings = load_settings()
    async with open_database(settings, settings.tenant, create=True, on_event=lambda _: None) as database:
        options = IndexOptions("auto", workers=1, prefix=prefix)
        await index_folder(database, root, options=options, on_file=acknowledge)


if __name__ == "__main__":
    extraction.batches.ROWS_PER_BATCH = 40  # many transactions, so that a kill falls between and into them
    try:
        asyncio.run(main(Path(sys.argv[1]), sys.argv[2] if len(sys.argv) > 2 else ""))
    except CogniverseError as error:
        sys.exit(f"error: {error}")
