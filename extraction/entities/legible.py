"""A text as models are given it: every character at its place, without what breaks tokenizers."""

import re
from typing import Final

WORD: Final = re.compile(r"\w+(?:[-_]\w+)*|\S")
"""A word as GLiNER counts them. Source: gliner, data_processing/tokenizer.py, WhitespaceTokenSplitter."""

_ILLEGIBLE: Final = re.compile(r"[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f]")
_LONE_SURROGATE: Final = re.compile(r"[\ud800-\udfff]")
# A paragraph, or a heading of Markdown, that ends without a mark: names would run on into what comes next.
_PARAGRAPH_END: Final = re.compile(r"(?<=[^\s.!?…:;,。！？])[^\S\n]*\n(?=[^\S\n]*\n)")
_HEADING_END: Final = re.compile(r"(?m)^#{1,6} .*[^\s.!?…:;,。！？](\s*?\n)")
_LONGEST_WORD: Final = 100
_LONG_WORD: Final = re.compile(rf"([\w-]{{{_LONGEST_WORD}}})([\w-]+)")


def make_legible(text: str) -> str:
    """Return a text of the same length: blanks for control characters and for all of a word beyond 100 characters.

    One such word can have more tokens than a model has places for, and is no name. Paragraphs end with a full stop.
    """
    plain = _LONE_SURROGATE.sub("\ufffd", _ILLEGIBLE.sub(" ", text))
    ended = _PARAGRAPH_END.sub(lambda match: "." + match[0][1:], plain)
    ended = _HEADING_END.sub(lambda match: f"{match[0][: -len(match[1])]}.{match[1][1:]}", ended)
    return _LONG_WORD.sub(lambda match: match[1] + " " * len(match[2]), ended)
