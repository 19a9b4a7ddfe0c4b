"""The headings of Markdown, by lines: a whole parser takes seconds where this takes milliseconds.

Source: CommonMark 0.31, 4.2 ATX headings, 4.3 setext headings, 4.5 fenced code blocks, 4.6 HTML blocks (1, 2 and 7).
"""

import re
from collections.abc import Iterator
from typing import Final

from extraction.documents.readers.composer import shorten_heading
from extraction.documents.text import Mark

_ATX: Final = re.compile(r" {0,3}#{1,6}(?:[ \t]+(.*))?$")
_CLOSING: Final = re.compile(r"(?:^|[ \t])#+[ \t]*$")
_SETEXT: Final = re.compile(r" {0,3}(?:=+|-+)[ \t]*$")
_BREAK: Final = re.compile(r" {0,3}([-*_])(?:[ \t]*\1){2,}[ \t]*$")
_FENCE: Final = re.compile(r" {0,3}(`{3,}(?=[^`]*$)|~{3,})")
_RAW: Final = re.compile(r" {0,3}<(script|pre|style|textarea)(?=[\s>]|$)", re.IGNORECASE)
_TAG: Final = re.compile(
    r" {0,3}(?:</?(?!(?:script|pre|style|textarea)\b)[a-z][\w-]*(?:\s[^<>]*)?|</(?:script|pre|style|textarea))>[ \t]*$",
    re.IGNORECASE,
)
_BLANK: Final = re.compile(r"^\s*$")
_COMMENT: Final = re.compile(r" {0,3}<!--")
_CONTAINER: Final = re.compile(r" {0,3}(?:>|[-+*](?:\s|$)|\d{1,9}[.)](?:\s|$))")
_INDENTED: Final = re.compile(r" {4}| {0,3}\t")
_FRONT_MATTER: Final = re.compile(r"---[ \t]*\n(?=\S)(?:(?!(?:---|\.\.\.)[ \t]*\n).*\n)*?(?:---|\.\.\.)[ \t]*(?:\n|$)")
_LINK: Final = re.compile(r"!?\[([^\[\]]*)\](?:\([^()]*\)|\[[^\[\]]*\])")
_SIGNS: Final = re.compile(r"\\([!-/:-@\[-`{-~])|\*+|`+|~~|(?<!\w)_+|_+(?!\w)")
_PLAIN_CHARS: Final = 600
_SETEXT_LINES: Final = 4


def find_headings(text: str) -> Iterator[Mark]:
    """The headings, where each begins. Those inside of code, comments, quotes, lists and front matter don't count."""
    end: re.Pattern[str] | None = None
    paragraph: list[tuple[int, str]] = []
    contained = False
    for start, line in _lines(text):
        if end is not None:
            end = None if end.search(line) else end
            continue
        end = _find_end(line, in_paragraph=bool(paragraph))
        atx = _ATX.match(line)
        if atx is not None:
            yield Mark(start, heading=_strip_markup(_CLOSING.sub("", atx[1] or "")))
        elif 0 < len(paragraph) <= _SETEXT_LINES and _SETEXT.match(line):
            yield Mark(paragraph[0][0], heading=_strip_markup(" ".join(part for _, part in paragraph)))
        elif end is None and not _ends_paragraph(line) and not contained:
            if paragraph or not _INDENTED.match(line):
                paragraph.append((start, line))
            continue
        paragraph.clear()
        contained = _CONTAINER.match(line) is not None or (contained and bool(line.strip()))


def _lines(text: str) -> Iterator[tuple[int, str]]:
    front = _FRONT_MATTER.match(text)
    start = front.end() if front else 0
    while start < len(text):
        stop = text.find("\n", start)
        stop = len(text) if stop < 0 else stop
        yield start, text[start : min(stop, start + _PLAIN_CHARS)]
        start = stop + 1


def _find_end(line: str, *, in_paragraph: bool) -> re.Pattern[str] | None:
    """What ends the stretch of code or raw HTML that this line begins, unless it ends it itself."""
    fence = _FENCE.match(line)
    if fence is not None:
        return re.compile(rf" {{0,3}}{fence[1]}{fence[1][0]}*[ \t]*$")
    if not in_paragraph and _TAG.match(line):
        return _BLANK
    raw = _RAW.match(line)
    end = re.compile(rf"</{raw[1]}>", re.IGNORECASE) if raw else re.compile("-->") if _COMMENT.match(line) else None
    return None if end is None or end.search(line) else end


def _ends_paragraph(line: str) -> bool:
    return not line.strip() or _BREAK.match(line) is not None or _CONTAINER.match(line) is not None


def _strip_markup(heading: str) -> str:
    """What a reader sees of a heading, without emphasis, code signs and addresses of links."""
    bare = _LINK.sub(r"\1", heading[:_PLAIN_CHARS])
    return shorten_heading(_SIGNS.sub(lambda match: match[1] or "", bare))
