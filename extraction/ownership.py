"""Whose folder is whose: two folders of one tenant must not write over each other's documents."""

from collections.abc import Sequence
from pathlib import Path

from graph.database import Database
from graph.errors import Conflict, InvalidInput
from graph.files import fetch_files
from graph.folders import Folder, fetch_folders, fetch_foreign_documents, folder_id, move_folder, upsert_folder
from graph.model import DocumentId


def clean_prefix(prefix: str) -> str:
    """The prefix as it stands in paths, without outer slashes. Raises InvalidInput for one that leaves its place."""
    parts = [part for part in prefix.split("/") if part]
    if any(part in {".", ".."} for part in parts) or not prefix.isprintable() or "\\" in prefix:
        raise InvalidInput(f"The prefix {prefix!r} can't be used: give a plain name, such as `backend`.")
    return "/".join(parts)


async def claim_folder(database: Database, root: Path, prefix: str, document_ids: Sequence[DocumentId]) -> Folder:
    """The folder's record in this tenant, made when it is new; a folder that has moved on disk is taken over.

    Raises Conflict when another folder, still there on disk, holds documents of the same ids, or holds this folder, and
    when a file that was ingested by itself has the path of one of the documents.
    """
    own = folder_id(str(root), prefix)
    folders = {folder.folder_id: folder for folder in await fetch_folders(database)}
    for other in folders.values() if own not in folders else ():
        _refuse_nesting(root, prefix, other)
    await _refuse_single_files(database, document_ids)
    moved: set[str] = set()
    for foreign in await fetch_foreign_documents(database, document_ids, own=own):
        other = folders.get(foreign.folder_id)
        if other is None:
            raise _belongs_to_no_folder(foreign.document_id)
        if _is_there(other):
            raise Conflict(
                f"{foreign.document_id} is in this tenant already, from {other.path}. Give this folder a prefix"
                " (--prefix NAME), or a tenant of its own (--tenant NAME)."
            )
        moved.add(foreign.folder_id)
    for old in sorted(moved):
        await move_folder(database, old, own)
    if own in folders:
        return folders[own]
    folder = Folder(own, str(root), prefix, snapshot="", summary="", made_by=[])
    await upsert_folder(database, folder)
    return folder


async def _refuse_single_files(database: Database, document_ids: Sequence[DocumentId]) -> None:
    """Refuse a second file of one path: its symbols would be those of the first."""
    wanted: set[str] = set(document_ids)
    for file in (await fetch_files(database)).values():
        if file.language is not None and file.path in wanted:
            raise _belongs_to_no_folder(file.document_id)


def _belongs_to_no_folder(document_id: str) -> Conflict:
    return Conflict(
        f"{document_id} is in this tenant already, and came from no folder: delete that document, give this folder a"
        " prefix (--prefix NAME), or a tenant of its own (--tenant NAME)."
    )


def _refuse_nesting(root: Path, prefix: str, other: Folder) -> None:
    outer = Path(other.path)
    if other.prefix != prefix or not _is_there(other):
        return
    if root.is_relative_to(outer):
        raise Conflict(
            f"{outer} is in this tenant already and holds {root}: index {outer} again, only what has changed is"
            " read. To have this folder twice give it a prefix (--prefix NAME)."
        )
    if outer.is_relative_to(root):
        raise Conflict(
            f"{root} holds {outer}, which is in this tenant already under shorter paths: give a prefix"
            " (--prefix NAME), or a tenant of its own (--tenant NAME)."
        )


def _is_there(folder: Folder) -> bool:
    return Path(folder.path).is_dir()
