"""Files that were ingested one by one: what is stored of them, and their texts."""

from collections.abc import Sequence
from dataclasses import dataclass

from graph.database import Database
from graph.folders import FILES_FOLDER
from graph.statements import load_statement


@dataclass(frozen=True, slots=True)
class StoredFile:
    """What is stored of a file; `language` is None for plain text."""

    document_id: str
    path: str
    content_hash: str
    facts_hash: str
    status: str
    language: str | None
    nodes: int
    edges: int
    mentions: int
    segments: int


@dataclass(frozen=True, slots=True)
class StoredText:
    """The whole text of a document whose segments cover it, and the hash of the bytes that it was read from."""

    content_hash: str
    text: str


@dataclass(frozen=True, slots=True)
class _TextRow:
    document_id: str
    content_hash: str
    texts: list[str]


_FETCH = load_statement("documents/fetch_single_files", StoredFile)
_FIND = load_statement("documents/find_single_file", StoredFile)
_FETCH_TEXTS = load_statement("documents/fetch_texts", _TextRow)


async def fetch_files(database: Database) -> dict[str, StoredFile]:
    """All files of the tenant that were ingested one by one, by document id."""
    return {row.document_id: row for row in await database.fetch(_FETCH, folder_id=FILES_FOLDER)}


async def find_file(database: Database, document_id: str) -> StoredFile | None:
    """One file that was ingested by itself, None when there is none of this id."""
    return await database.find(_FIND, document_id=document_id, folder_id=FILES_FOLDER)


async def fetch_texts(database: Database, document_ids: Sequence[str]) -> dict[str, StoredText]:
    """The texts of those documents that are there, by document id."""
    if not document_ids:
        return {}
    rows = await database.fetch(_FETCH_TEXTS, document_ids=list(document_ids))
    return {row.document_id: StoredText(row.content_hash, "".join(row.texts)) for row in rows}
