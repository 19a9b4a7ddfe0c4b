"""Source text as tree-sitter sees it, with the way back to characters and lines."""

import re
from bisect import bisect_left, bisect_right
from functools import cache
from importlib.resources import files
from itertools import accumulate
from threading import get_ident

from tree_sitter import Language, Node, Parser, Query, QueryCursor
from tree_sitter_language_pack import SupportedLanguage, get_language

_LONE_RETURN = re.compile(rb"\r(?!\n)")
_CONTINUATION = re.compile(rb"[\x80-\xbf]")


@cache
def _grammar(language: SupportedLanguage) -> Language:
    return get_language(language)


@cache
def _parser(language: SupportedLanguage, _thread: int) -> Parser:
    # One for each thread: a parser keeps state while it works, and making one costs more than a small file.
    return Parser(_grammar(language))


@cache
def _query(language: SupportedLanguage) -> Query:
    source = files("extraction.code").joinpath("queries", f"{language}.scm").read_text(encoding="utf-8")
    return Query(_grammar(language), source)


class SourceTree:
    """A parsed text. `data` has the length of its UTF-8 bytes.

    A lone carriage return ends a line, as it does for compilers, and a NUL is a blank: both change no offset.
    """

    def __init__(self, language: SupportedLanguage, text: str) -> None:
        data = text.encode("utf-8", "surrogatepass")
        if b"\r" in data:
            data = _LONE_RETURN.sub(b"\n", data)
        self.data = data.replace(b"\0", b" ")
        self.has_nul = b"\0" in data
        self.root: Node = _parser(language, get_ident()).parse(self.data).root_node
        self._captures: dict[str, list[Node]] = QueryCursor(_query(language)).captures(self.root)
        self._line_starts = [0, *accumulate(map(len, self.data.splitlines(keepends=True)))]
        if len(self._line_starts) > 1 and not self.data.endswith(b"\n"):
            self._line_starts.pop()
        self._sorted: dict[str, list[Node]] = {}
        # The bytes at which no character starts; few in most source texts.
        self._inner: list[int] = []
        if not text.isascii():
            self._inner = [match.start() for match in _CONTINUATION.finditer(self.data)]

    def char(self, offset: int) -> int:
        """The character at which the byte `offset` starts."""
        return offset - bisect_left(self._inner, offset) if self._inner else offset

    def line(self, offset: int) -> int:
        """The line of a byte, from 1."""
        return bisect_right(self._line_starts, offset)

    def line_start(self, offset: int) -> int:
        """The first byte of the line that a byte is on."""
        return self._line_starts[bisect_right(self._line_starts, offset) - 1]

    def text(self, start: int, end: int) -> str:
        """The text between two bytes."""
        return self.data[start:end].decode("utf-8", "surrogatepass")

    def of(self, name: str) -> list[Node]:
        """The nodes of a capture in the order of the text, the outer before the inner."""
        known = self._sorted.get(name)
        if known is None:
            known = self._sorted[name] = sorted(self._captures.get(name, ()), key=_place)
        return known

    def unordered(self, name: str) -> list[Node]:
        """The nodes of a capture in no order, for when there are many and few are wanted."""
        return self._captures.get(name, [])


def _place(node: Node) -> int:
    # A whole number is compared faster than a pair.
    return (node.start_byte << 32) - node.end_byte
