"""Texts that are read as they stand: their offsets are those of the decoded file."""

from collections.abc import Iterable

from extraction.documents.readers import markdown, rst
from extraction.documents.readers.composer import check_length
from extraction.documents.readers.decoding import decode_document
from extraction.documents.text import DocumentText, Mark


def read_plain(data: bytes) -> DocumentText:
    """A text without structure of its own."""
    return DocumentText(_decode(data))


def read_markdown(data: bytes) -> DocumentText:
    """A Markdown text under its headings."""
    text = _decode(data)
    return DocumentText(text, tuple(_named(markdown.find_headings(text))))


def read_rst(data: bytes) -> DocumentText:
    """A reStructuredText under its section titles."""
    text = _decode(data)
    return DocumentText(text, tuple(_named(rst.find_headings(text))))


def _decode(data: bytes) -> str:
    text = decode_document(data)
    check_length(len(text))
    return text


def _named(marks: Iterable[Mark]) -> Iterable[Mark]:
    return (mark for mark in marks if mark.heading)
