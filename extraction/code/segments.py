"""How a file's text is cut into segments: whole statements, about 2,000 characters together."""

from collections.abc import Iterable, Sequence

from extraction.code.facts import SegmentStart
from extraction.code.parse import SourceTree

SEGMENT_CHARS = 2_000
"""The size to which statements are grouped; one that is longer by itself stays whole."""


def cut_segments(tree: SourceTree, units: Iterable[int]) -> list[SegmentStart]:
    """Group units (the bytes at which they start, rising, each at a line's start) into segments.

    The segments partition the text; the first one starts at its beginning, whatever stands there.
    """
    starts = [0, *(unit for unit in units if unit > 0)]
    ends = [*starts[1:], len(tree.data)]
    return [SegmentStart(tree.char(start), tree.line(start)) for start in _grouped(tree, starts=starts, ends=ends)]


def _grouped(tree: SourceTree, *, starts: Sequence[int], ends: Sequence[int]) -> Iterable[int]:
    group = starts[0]
    yield group
    for start, end in zip(starts[1:], ends[1:], strict=True):
        if tree.char(end) - tree.char(group) > SEGMENT_CHARS:
            group = start
            yield group
