"""The section titles of reStructuredText, by lines.

docutils doesn't say where a title stands, and its directives can read other files.
Source: reStructuredText Markup Specification, "Sections".
"""

import re
from collections.abc import Iterator
from typing import Final

from extraction.documents.readers.composer import shorten_heading
from extraction.documents.text import Mark

_ADORNMENT: Final = re.compile(r"(?!::$|\.\.$)([!-/:-@\[-`{-~])\1+$")
_LONG_ENOUGH: Final = 4  # Source: docutils, parsers/rst/states.py, Text.underline
_MARKUP: Final = re.compile(r":[\w:.-]{1,40}:(?=`)|(?<!\w)[*`|]+|[*`|]+_{0,2}(?!\w)")


def find_headings(text: str) -> Iterator[Mark]:
    """The titles, where each begins: its overline where it has one. Indented lines under none don't count."""
    lines = text.split("\n")
    above, start = -1, 0
    for number, line in enumerate(lines[:-1]):
        before = lines[number - 1].rstrip() if number else ""
        if _is_title(line, before=before, under=lines[number + 1].rstrip()):
            yield Mark(above if before else start, heading=shorten_heading(_MARKUP.sub("", line)))
        above, start = start, start + len(line) + 1


def _is_title(line: str, *, before: str, under: str) -> bool:
    """Underlined after a blank line, or between two equal lines of signs."""
    title = line.strip()
    if not title or _ADORNMENT.match(title) or not _ADORNMENT.match(under):
        return False
    if before:
        return before == under and len(under) >= len(title)
    return line[0] == title[0] and len(under) >= min(len(title), _LONG_ENOUGH)
