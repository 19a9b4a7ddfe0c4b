"""What a job is to do, as it is kept in the database."""

from typing import ClassVar, Final

import msgspec

from extraction.given import check_given
from extraction.ownership import clean_prefix
from extraction.pipeline import CONTENT_TYPES
from extraction.selection import Selection
from graph.errors import InvalidInput, UnsupportedFormat


class FolderWork(msgspec.Struct, frozen=True, tag="folder", tag_field="kind"):
    """Ingest a folder of this machine; the options are those of `extraction.pipeline.IndexOptions`.

    `path` is absolute, with its links resolved.
    """

    path: str
    content_type: str = "auto"
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    prune: bool = True
    prefix: str = ""

    kind: ClassVar[str] = "folder"

    @property
    def lane(self) -> str:
        """Jobs of one folder follow one another."""
        return f"folder:{self.path}"


class FileWork(msgspec.Struct, frozen=True, tag="file", tag_field="kind"):
    """Ingest one file of this machine.

    With `spooled` the file is the runner's own, which removes it at the end; any other is absolute, its links resolved.
    """

    file: str
    name: str
    content_type: str = "auto"
    source_doc_id: str | None = None
    spooled: bool = False

    kind: ClassVar[str] = "file"

    @property
    def lane(self) -> str:
        """Versions of one document follow one another."""
        return f"file:{self.source_doc_id or self.name}"


Work = FolderWork | FileWork
_decoder: Final[msgspec.json.Decoder[Work]] = msgspec.json.Decoder(Work)


def encode_work(work: Work) -> str:
    """The work as JSON. Raises InvalidInput for a path that is not UTF-8."""
    try:
        return msgspec.json.encode(work).decode()
    except UnicodeEncodeError as exc:
        raise InvalidInput("The path is not UTF-8: rename it, or ingest the folder above it.") from exc


def decode_work(text: str) -> Work:
    """The work of `encode_work`. Raises InvalidInput for what an older or newer version has written."""
    try:
        return _decoder.decode(text)
    except msgspec.DecodeError as exc:
        raise InvalidInput("The job was made by another version of the program: start it again.") from exc


def check_work(work: Work) -> None:
    """Raise InvalidInput or UnsupportedFormat for what could only fail."""
    if isinstance(work, FileWork):
        check_given(work.name, work.content_type, work.source_doc_id)
        return
    if work.content_type not in CONTENT_TYPES:
        raise UnsupportedFormat(
            f"Folders of the type {work.content_type[:40]!r} are not read yet: use one of {', '.join(CONTENT_TYPES)}."
        )
    Selection(work.include, work.exclude)
    clean_prefix(work.prefix)
