"""What a tenant's graph was made by, where that is not what the program would use now."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from graph.database import Database
from graph.folders import FILES_FOLDER, Folder, fetch_folders
from graph.statements import load_statement
from graph.vectors.state import VectorModel, VectorState, find_vectors


@dataclass(frozen=True, slots=True)
class Drift:
    """One difference: `what` was made by `stored` and would be made by `current` now.

    `folder` is the folder concerned, None where that is the whole tenant (`vectors`) or single files.
    """

    what: str
    stored: str
    current: str
    folder: Folder | None = None


@dataclass(frozen=True, slots=True)
class _Outdated:
    facts_hash: str
    documents: int


_COUNT_OUTDATED = load_statement("documents/count_outdated_texts", _Outdated)

VECTORS = "vectors"
SINGLE_TEXTS = "documents ingested one by one"


async def find_drift(
    database: Database, *, versions: Mapping[str, str], texts: str | None, vectors: VectorModel | None
) -> list[Drift]:
    """Compare what is stored with what the program has: the folders first, by path, then single texts, then vectors.

    `versions` are those of extractors and models by what they are, `texts` is the facts hash of texts read now, None
    when that can't be told, and `vectors` the model of vectors, None where none is set up. What the graph does not
    record was not made by an extractor, or by a program that recorded nothing yet: it counts as no drift.
    """
    folders = sorted(await fetch_folders(database), key=lambda folder: (folder.path, folder.prefix))
    found = [drift for folder in folders for drift in _of_folder(folder, versions)]
    if texts is not None:
        rows = await database.fetch(_COUNT_OUTDATED, folder_id=FILES_FOLDER, facts_hash=texts)
        found += [Drift(f"{row.documents} {SINGLE_TEXTS}", row.facts_hash, texts) for row in rows]
    state = await find_vectors(database)
    if state is not None and vectors is not None:
        stored, current = _shown(state), _shown(vectors)
        found += [Drift(VECTORS, stored, current)] if stored != current else []
    return found


def _of_folder(folder: Folder, versions: Mapping[str, str]) -> Iterator[Drift]:
    for made in folder.made_by:
        what, _, stored = made.partition(": ")
        current = versions.get(what)
        if current is not None and current != stored:
            yield Drift(what, stored, current, folder)


def _shown(vectors: VectorModel | VectorState) -> str:
    return f"{vectors.model} with {vectors.dimension} dimensions"
