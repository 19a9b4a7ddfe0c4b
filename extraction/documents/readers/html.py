"""Web pages as the text that is seen on them."""

import re
from collections.abc import Mapping
from typing import Final

from extraction.documents.readers.composer import LINE, PARAGRAPH, Composer
from extraction.documents.readers.decoding import decode_document
from extraction.documents.readers.markup import parse_html
from extraction.documents.text import DocumentText

_UNSEEN: Final = frozenset(
    {"script", "style", "template", "noscript", "iframe", "object", "svg", "canvas", "audio", "video", "select"}
    | {"datalist", "textarea"}
)
_HEADINGS: Final = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
_LINES: Final = frozenset({"li", "tr", "dt", "dd", "option", "caption", "figcaption"})
_BLOCKS: Final = (
    _HEADINGS
    | {
        "title",
        "body",
        "main",
        "section",
        "article",
        "aside",
        "header",
        "footer",
        "nav",
        "div",
        "p",
        "pre",
        "blockquote",
    }
    | {"ul", "ol", "dl", "table", "figure", "form", "fieldset", "address", "hr", "details", "summary", "center"}
)
_CELLS: Final = frozenset({"td", "th"})
_VOID: Final = "area|base|br|col|embed|hr|img|input|link|meta|param|source|track|wbr"
_HIDDEN: Final = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)
_CHARSET: Final = re.compile(
    rb"""<(?:meta|\?xml)[^>]{1,200}?(?:charset|encoding)\s*=\s*["']?\s*([\w.:-]{2,40})""", re.IGNORECASE
)
_XHTML: Final = re.compile(r"<\?xml|<html[^>]{1,500}www\.w3\.org/1999/xhtml", re.IGNORECASE)
_EMPTY_ELEMENT: Final = re.compile(rf"<(?!(?:{_VOID})\b)([a-zA-Z][\w:-]*)((?:\s[^<>]*)?)/>", re.IGNORECASE)
# A parser of HTML takes the inside of a document type for text.
_SUBSET: Final = re.compile(r"<!DOCTYPE[^>\[]{0,1000}\[.*?\]\s*>", re.IGNORECASE | re.DOTALL)
_PROBE: Final = 4_000
_BLANKS: Final = re.compile(r"\s+")
# In a block's text until its blanks are put together. No page has these characters: the parser replaces or drops them.
_BREAK: Final = "\x00"
_CELL: Final = "\x01"
_BREAKS: Final = re.compile(r" *([\x00\x01]) *")
_SIGNS: Final = {_BREAK: "\n", _CELL: "\t"}


def read_html(data: bytes) -> DocumentText:
    """A page's title, then its visible text: blocks apart by blank lines, cells of a row by tabs."""
    composer = Composer()
    compose_html(decode_html(data), composer)
    return composer.build()


def decode_html(data: bytes) -> str:
    """A page's source. Order: byte order mark, UTF-8, the encoding that the page names, as for any text."""
    named = _CHARSET.search(data[:_PROBE])
    if named is not None and not data.startswith((b"\xff\xfe", b"\xfe\xff")):
        for encoding in ("utf-8", named[1].decode("ascii")):
            try:
                return decode_document(data.decode(encoding).encode("utf-8", "replace"))
            except (LookupError, ValueError):
                continue
    return decode_document(data)


def compose_html(source: str, composer: Composer, *, with_title: bool = True) -> None:
    """Add a page's visible text and headings. Raises SourceSkipped, SourceFailed."""
    source = _SUBSET.sub("", source, count=1)
    if _XHTML.search(source[:_PROBE]):
        source = _EMPTY_ELEMENT.sub(r"<\1\2></\1>", source)
    parse_html(source, _Page(composer, with_title=with_title))


class _Page:
    """Gathers the text of a block; a block ends where another begins or its element ends."""

    def __init__(self, composer: Composer, *, with_title: bool) -> None:
        self._composer = composer
        self._with_title = with_title
        self._buffer: list[str] = []
        self._unseen = self._preformatted = 0
        self._separator = PARAGRAPH
        self._title: str | None = None

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        if self._unseen or self._is_unseen(tag, attributes):
            self._unseen += 1
        elif tag == "br":
            self._buffer.append(_BREAK)
        elif tag in _CELLS and any(map(str.strip, self._buffer)):
            self._buffer.append(_CELL)
        else:
            self._break(tag)
        self._preformatted += tag == "pre"

    def end(self, tag: str) -> None:
        if not self._unseen and tag == "title":
            self._title = _BLANKS.sub(" ", "".join(self._buffer)).strip()
            self._buffer.clear()
        elif not self._unseen:
            self._break(tag, heading=tag in _HEADINGS)
        self._unseen -= self._unseen > 0
        self._preformatted -= tag == "pre"

    def data(self, text: str) -> None:
        if not self._unseen:
            self._buffer.append(text)

    def close(self) -> None:
        self._flush()
        self._add_title(before=None)

    def _is_unseen(self, tag: str, attributes: Mapping[str, str]) -> bool:
        if tag in _UNSEEN or (tag == "title" and not self._with_title):
            return True
        return bool(attributes) and ("hidden" in attributes or bool(_HIDDEN.search(attributes.get("style", ""))))

    def _break(self, tag: str, *, heading: bool = False) -> None:
        if tag in _BLOCKS:
            self._flush(heading=heading)
            self._separator = PARAGRAPH
        elif tag in _LINES:
            self._flush()

    def _flush(self, *, heading: bool = False) -> None:
        text = "".join(self._buffer)
        self._buffer.clear()
        if not self._preformatted:
            text = _BLANKS.sub(" ", text).strip()
        if _BREAK in text or _CELL in text:
            text = _BREAKS.sub(lambda match: _SIGNS[match[1]], text).strip("\n\t")
        if not text.strip():
            return
        self._add_title(before=text)
        if heading:
            self._composer.start_heading(text)
        self._composer.add(text, separator=self._separator)
        self._separator = LINE

    def _add_title(self, *, before: str | None) -> None:
        """Add the title, unless the page begins with the same words."""
        title, self._title = self._title, None
        if title and title != before:
            self._composer.add(title)
