"""Documents of all formats as texts."""

import threading
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from extraction.documents.formats import (
    document_suffixes,
    find_foreign_kind,
    find_format,
    format_name,
)
from extraction.documents.readers.book import read_book
from extraction.documents.readers.html import read_html
from extraction.documents.readers.mail import read_mail
from extraction.documents.readers.notebook import read_notebook
from extraction.documents.readers.pdf import read_pdf
from extraction.documents.readers.plain import read_markdown, read_plain, read_rst
from extraction.documents.readers.slides import read_slides
from extraction.documents.readers.word import read_word
from extraction.documents.readers.workbook import read_workbook
from extraction.documents.serving import Reader, Request
from extraction.documents.text import DocumentText
from extraction.documents.worker import ReadCancelled, close_workers, read_apart
from extraction.source import SourceSkipped
from graph.errors import UnsupportedFormat

__all__ = [
    "READER_VERSION",
    "ReadCancelled",
    "ReadLimits",
    "close_workers",
    "document_suffixes",
    "find_format",
    "format_name",
    "read_document",
]

READER_VERSION: Final = "1"
"""Raised whenever the same bytes would give another text or other marks."""

_HERE: Final[Mapping[str, Reader]] = MappingProxyType(
    {"markdown": read_markdown, "rst": read_rst, "text": read_plain, "table": read_plain, "json": read_plain}
)
_APART: Final[Mapping[str, Reader]] = MappingProxyType(
    {
        "html": read_html,
        "pdf": read_pdf,
        "docx": read_word,
        "pptx": read_slides,
        "xlsx": read_workbook,
        "epub": read_book,
        "notebook": read_notebook,
        "mail": read_mail,
    }
)


@dataclass(frozen=True, slots=True)
class ReadLimits:
    """What the reading of one document may take. Plain texts are read at once and not bounded by it."""

    timeout_s: float = 120.0
    memory_bytes: int = 2_000_000_000


def read_document(
    name: str, data: bytes, *, limits: ReadLimits | None = None, cancel: threading.Event | None = None
) -> DocumentText:
    """The text of a file. It blocks: call it in a thread, in as many as you like.

    Raises UnsupportedFormat for what no reader reads, SourceSkipped for an empty, binary or too large file,
    SourceFailed for one that can't be read (damaged, a password, no text layer, over a limit), and its
    subclass ReadCancelled soon after `cancel` was set. Their messages are reasons, without the file's name.
    """
    if cancel is not None and cancel.is_set():
        raise ReadCancelled("called off")
    if not data:
        raise SourceSkipped("empty")
    form = format_name(name, data)
    if form is None:
        kind = find_foreign_kind(name, data) or "of an unknown kind"
        raise UnsupportedFormat(f"{name} is {kind}, and such files are not read: give its text instead.")
    if form in _HERE:
        return _HERE[form](data)
    bounds = limits or ReadLimits()
    return read_apart(Request(_APART[form], data, bounds.timeout_s, bounds.memory_bytes), cancel=cancel)
