"""A single file as given, checked and read as text: from here on it is known what it is."""

import hashlib
import re
import threading
import unicodedata
from dataclasses import dataclass
from typing import Final

from extraction.documents.extraction import ExtractionCancelled
from extraction.documents.formats import find_foreign_kind, is_binary_text
from extraction.documents.reading import ReadLimits, read_document
from extraction.documents.text import DocumentText, Mark
from extraction.documents.worker import ReadCancelled
from extraction.inputs import MAX_DOCUMENT_BYTES
from extraction.registry import LANGUAGES, find_language
from extraction.source import MAX_BYTES, SourceFailed, SourceSkipped, decode
from graph.errors import InvalidInput, TooLarge, UnsupportedFormat
from graph.model import DocumentId

CONTENT_TYPES: Final = ("auto", "code", "docs")
_MAX_NAME: Final = 500
_UNPRINTABLE: Final = frozenset({"Cc", "Cs", "Zl", "Zp"})
_DRIVE: Final = re.compile(r"[A-Za-z]:(/|$)")


@dataclass(frozen=True, slots=True)
class FileInput:
    """A file as given.

    `name` is a file name, or a path with `/` from where its imports start; `content_type` one of `auto`, `code` and
    `docs`; `source_doc_id` the id that the document shall have, by default the name.
    """

    name: str
    data: bytes
    content_type: str = "auto"
    source_doc_id: str | None = None


@dataclass(frozen=True, slots=True)
class GivenText:
    """A file that can be taken. `content_hash` is the hex sha256 of its bytes; `language` None for a document.

    `marks` are those of a document's text.
    """

    document_id: DocumentId
    path: str
    text: str
    content_hash: str
    language: str | None
    marks: tuple[Mark, ...] = ()


def check_given(name: str, content_type: str, source_doc_id: str | None) -> tuple[str, DocumentId, str | None]:
    """The path, the document id and the language that a file will have. Raises InvalidInput, UnsupportedFormat."""
    path = clean_name(name)
    document_id = path if source_doc_id is None else clean_document_id(source_doc_id)
    return path, DocumentId(document_id), _choose_language(path, content_type)


def read_given(
    given: FileInput, *, limits: ReadLimits | None = None, cancel: threading.Event | None = None
) -> GivenText:
    """Check and read a file. Raises InvalidInput for its name or id, UnsupportedFormat, TooLarge."""
    name, document_id, language = check_given(given.name, given.content_type, given.source_doc_id)
    limit = MAX_DOCUMENT_BYTES if language is None else MAX_BYTES
    if len(given.data) > limit:
        raise TooLarge(f"{name} has {len(given.data):,} bytes; {limit:,} is the most for such a file. Split it.")
    content_hash = hashlib.sha256(given.data).hexdigest()
    if language is None:
        read = _read_document(name, given.data, limits or ReadLimits(), cancel)
        return GivenText(document_id, name, read.text, content_hash, None, read.marks)
    text = _decode(name, given.data, python=language == "python")
    return GivenText(document_id, name, text, content_hash, language)


def clean_name(name: str) -> str:
    """A name as it stands in paths: relative, with `/`. Raises InvalidInput for one that leaves its place."""
    cleaned = name.removeprefix("./")
    _check_text("name", cleaned)
    parts = cleaned.split("/")
    if "\\" in cleaned or _DRIVE.match(cleaned) or any(part.strip() in {"", ".", ".."} for part in parts):
        raise InvalidInput(
            f"The name {name[:80]!r} can't be used: give a file name, or a relative path with `/`, such as notes/a.md."
        )
    return cleaned


def clean_document_id(document_id: str) -> str:
    """A document id that can be stored and shown. Raises InvalidInput."""
    _check_text("document id", document_id)
    return document_id


def _check_text(what: str, text: str) -> None:
    if not text.strip():
        raise InvalidInput(f"The {what} is blank: give at least one visible character.")
    if len(text) > _MAX_NAME:
        raise InvalidInput(f"The {what} has {len(text):,} characters: give at most {_MAX_NAME}.")
    if any(unicodedata.category(char) in _UNPRINTABLE for char in text):
        raise InvalidInput(f"The {what} {text[:80]!r} has control characters or line breaks: leave them out.")


def _choose_language(name: str, content_type: str) -> str | None:
    if content_type not in CONTENT_TYPES:
        raise UnsupportedFormat(
            f"Files of the type {content_type[:40]!r} are not read yet: use one of {', '.join(CONTENT_TYPES)}."
        )
    language = None if content_type == "docs" else find_language(name)
    if language is None and content_type == "code":
        known = ", ".join(suffix for one in LANGUAGES for suffix in one.suffixes)
        raise UnsupportedFormat(f"No extractor reads {name} as code: known endings are {known}. Or give it as docs.")
    return None if language is None else language.name


def _decode(name: str, data: bytes, *, python: bool) -> str:
    kind = find_foreign_kind(name, data)
    if kind is not None:
        raise UnsupportedFormat(f"{name} is {kind}, and such files are not read yet: give its text instead.")
    try:
        text, encoding = decode(data, python=python)
    except SourceSkipped as exc:
        raise UnsupportedFormat(f"{name} {exc}: save it as UTF-8.") from exc
    if is_binary_text(text) or (b"\0" in data and encoding in {"utf-8", "cp1252", "latin-1"}):
        raise UnsupportedFormat(f"{name} is binary: only text can be taken.")
    return text


def _read_document(name: str, data: bytes, limits: ReadLimits, cancel: threading.Event | None) -> DocumentText:
    if not data.strip():
        return DocumentText("")  # a document that says nothing yet
    try:
        return read_document(name.rpartition("/")[2], data, limits=limits, cancel=cancel)
    except ReadCancelled as exc:
        raise ExtractionCancelled(f"The reading of {name} was cancelled.") from exc
    except (SourceSkipped, SourceFailed) as exc:
        raise UnsupportedFormat(f"{name} can't be taken: {exc}.") from exc
