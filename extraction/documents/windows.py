"""Stretches of a text that a model with a limit on words reads whole."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from typing import Final

from extraction.documents.sentences import find_sentence_ends

# Source: gliner, data_processing/tokenizer.py, WhitespaceTokenSplitter.
_WORD: Final = re.compile(r"\w+(?:[-_]\w+)*|\S")


def split_windows(text: str, *, max_words: int, overlap: int) -> list[tuple[int, int]]:
    """Stretches (start, end) in characters, of at most `max_words` words as GLiNER counts them, in order.

    They cover every word. Each ends with a sentence where one ends in its second half; the next one begins with the
    last sentence that starts at least `overlap` words before that end, else exactly so many words before it. One
    stretch when all fits; none for blanks alone.
    """
    if not 0 <= overlap < max_words:
        raise ValueError(f"overlap must be in [0, {max_words}), not {overlap}")
    words = [match.span() for match in _WORD.finditer(text)]
    starts = [start for start, _ in words]
    breaks = sorted({bisect_left(starts, end) for end in find_sentence_ends(text)})
    windows: list[tuple[int, int]] = []
    first = last = 0
    while first < len(words):
        limit = first + max_words
        last = len(words) if limit >= len(words) else _find_break(breaks, max(first + max_words // 2, last), limit)
        windows.append((words[first][0], words[last - 1][1]))
        if last == len(words):
            break
        first = _find_break(breaks, (first + last) // 2, max(first + 1, last - overlap))
    return windows


def _find_break(breaks: Sequence[int], least: int, most: int) -> int:
    """The last sentence's start that is more than `least` and at most `most` words from the beginning, else `most`."""
    index = bisect_right(breaks, most) - 1
    return breaks[index] if index >= 0 and breaks[index] > least else most
