"""The folders that were indexed into a tenant: whose documents are whose, and what they were last made from."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from graph.database import Database, Transaction
from graph.model import DocumentId
from graph.statements import Nothing, load_statement

ASSERTED_FOLDER: Final = "asserted"
"""The folder id of documents that hold what callers state; no folder on disk has it."""

FILES_FOLDER: Final = "files"
"""The folder id of files that were ingested one by one; no folder on disk has it."""


@dataclass(frozen=True, slots=True)
class Folder:
    """An indexed folder.

    `path` is absolute; `prefix` stands before the paths of its documents. `snapshot` is the hash of all inputs of
    the last complete run, empty when there was none; `summary` is that run's outcome, as JSON, and `made_by` the
    versions of the extractors and models that it used, each as `what: version`.
    """

    folder_id: str
    path: str
    prefix: str
    snapshot: str
    summary: str
    made_by: list[str]


@dataclass(frozen=True, slots=True)
class ForeignDocument:
    """A document that came from another folder."""

    document_id: str
    folder_id: str


@dataclass(frozen=True, slots=True)
class _Nodes:
    nodes: int


_FETCH = load_statement("folders/fetch_folders", Folder)
_COUNT_NODES = load_statement("documents/count_folder_nodes", _Nodes)
_UPSERT = load_statement("folders/upsert_folder", Nothing)
_MOVE = load_statement("folders/move_folder", Nothing)
_FOREIGN = load_statement("folders/fetch_foreign_documents", ForeignDocument)


def folder_id(path: str, prefix: str) -> str:
    """The id of a folder in its tenant."""
    return hashlib.sha256(f"{prefix}\0{path}".encode("utf-8", "surrogateescape")).hexdigest()[:16]


async def fetch_folders(database: Database) -> list[Folder]:
    """All folders of the tenant, by id."""
    return await database.fetch(_FETCH)


async def fetch_foreign_documents(
    database: Database, document_ids: Sequence[DocumentId], *, own: str, limit: int = 10
) -> list[ForeignDocument]:
    """Those of the documents that are stored already and came from a folder other than `own`, by id."""
    return await database.fetch(_FOREIGN, document_ids=list(document_ids), folder_id=own, limit=limit)


async def count_named_nodes(database: Database, folder_id: str) -> int:
    """How many things the texts of a folder name."""
    [row] = await database.fetch(_COUNT_NODES, folder_id=folder_id)
    return row.nodes


async def upsert_folder(database: Database, folder: Folder) -> None:
    """Remember a folder, in place of what was known of it."""

    async def work(transaction: Transaction) -> None:
        await transaction.run(
            _UPSERT,
            folder_id=folder.folder_id,
            path=folder.path,
            prefix=folder.prefix,
            snapshot=folder.snapshot,
            summary=folder.summary,
            made_by=folder.made_by,
        )

    await database.write(work)


async def move_folder(database: Database, old: str, new: str) -> None:
    """Give the documents of `old` to `new` and forget `old`: the folder has moved on disk."""

    async def work(transaction: Transaction) -> None:
        await transaction.run(_MOVE, old_id=old, new_id=new)

    await database.write(work)
