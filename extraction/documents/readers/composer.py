"""A text that is put together block by block, with the pages and headings of its blocks."""

import re
from typing import Final

from extraction.documents.readers.decoding import unify_newlines
from extraction.documents.text import DocumentText, Mark
from extraction.source import SourceSkipped

MAX_CHARS: Final = 20_000_000
"""The most characters of a document: it is written in one transaction."""

PARAGRAPH: Final = "\n\n"
LINE: Final = "\n"
_HEADING_CHARS: Final = 300
# No database takes half a surrogate pair; NUL ends strings elsewhere.
_UNSTORABLE: Final = re.compile("[\ud800-\udfff]")
_BLANKS: Final = re.compile(r"\s+")


class Composer:
    """Takes blocks in reading order. Blank ones are dropped; so are pages and headings that nothing stands under."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._length = 0
        self._marks: list[Mark] = []
        self._page: int | None = None
        self._heading: str | None = None

    def start_page(self, number: int) -> None:
        """What follows stands on this page, under no heading yet."""
        self._page, self._heading = number, None

    def start_heading(self, heading: str | None) -> None:
        """What follows, the heading itself as a rule, stands under it."""
        self._heading = shorten_heading(heading or "") or None

    def add(self, block: str, *, separator: str = PARAGRAPH) -> None:
        """Add a block; `separator` stands between it and what came before. Raises SourceSkipped when it's too much."""
        text = _UNSTORABLE.sub("\ufffd", unify_newlines(block).replace("\0", "")).strip("\n")
        if not text.strip():
            return
        if self._parts:
            self._append(separator)
        last = self._marks[-1] if self._marks else Mark(0)
        if (last.page, last.heading) != (self._page, self._heading):
            self._marks.append(Mark(self._length, self._page, self._heading))
        self._append(text)

    def build(self) -> DocumentText:
        """The whole text. Raises SourceSkipped when there is none."""
        if not self._parts:
            raise SourceSkipped("empty")
        return DocumentText("".join(self._parts), tuple(self._marks))

    def _append(self, text: str) -> None:
        self._parts.append(text)
        self._length += len(text)
        check_length(self._length)


def check_length(chars: int) -> None:
    """Refuse a text that is too long. Raises SourceSkipped."""
    if chars > MAX_CHARS:
        raise SourceSkipped(f"too large: it has more than {MAX_CHARS:,} characters of text")


def shorten_heading(heading: str) -> str:
    """A heading on one line, of bounded length, without anything that can't be stored."""
    return _BLANKS.sub(" ", _UNSTORABLE.sub("\ufffd", heading[: 2 * _HEADING_CHARS])).strip()[:_HEADING_CHARS]
