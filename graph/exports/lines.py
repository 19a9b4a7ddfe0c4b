"""A graph as JSON lines: one record a line, so that writing and reading it take flat memory.

The first line is a header, the last one the hash, the counts and the sha256 of all lines before it: a file without it
was cut off, one with another sha256 was changed. All else are records
of the sections of `records`, in their order, with `properties` and, where they have them, `document` or `segment`
(what holds it), `node` (what a mention is of), `source`, `target`, `type`, `labels`, `mention` and `origin`. A date and
time is an object `{"datetime": "2026-11-30T07:23:19+00:00"}`, a number that JSON can't say `{"float": "nan"}`. Only
ASCII is written: no reader takes U+2028 or U+0085 in data for the end of a line.
"""

import hashlib
import json
import math
from collections import Counter
from collections.abc import Sequence
from typing import BinaryIO, Final

from graph.exports.records import Moment, Record, Scalar, Section, Value

FORMAT: Final = "cogniverse-graph"
VERSION: Final = 1
_PLAIN: Final = frozenset((str, int, bool))
_PARENTS: Final = {
    Section.SEGMENT: "document",
    Section.UNRESOLVED: "document",
    Section.MENTION: "segment",
    Section.EDGE: "source",
    Section.ORIGIN_LINK: "mention",
}
_encode: Final = json.JSONEncoder(
    ensure_ascii=True, allow_nan=False, separators=(",", ":"), check_circular=False
).encode
_TARGETS: Final = {Section.MENTION: "node", Section.EDGE: "target", Section.ORIGIN_LINK: "origin"}


class JsonWriter:
    """Writes JSON lines."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._counts: Counter[Section] = Counter()
        self._digest = hashlib.sha256()

    def begin(self) -> None:
        """Write the header."""
        self._line({"record": "header", "format": FORMAT, "version": VERSION})

    def write(self, section: Section, records: Sequence[Record]) -> None:
        """Write a line for each record."""
        self._counts[section] += len(records)
        for record in records:
            self._line(_object(section, record))

    def end(self, graph_hash: str) -> None:
        """Write what proves that nothing is missing."""
        counts = {section.value: self._counts[section] for section in Section}
        self._line({"record": "end", "hash": graph_hash, "counts": counts, "sha256": self._digest.hexdigest()})

    def _line(self, value: dict[str, object]) -> None:
        line = _encode(value).encode() + b"\n"
        self._digest.update(line)
        self._file.write(line)


def _object(section: Section, record: Record) -> dict[str, object]:
    shown: dict[str, object] = {"record": section.value}
    if section in _PARENTS:
        shown[_PARENTS[section]] = record.parent
    if section in _TARGETS:
        shown[_TARGETS[section]] = record.target
    if section is Section.NODE:
        shown["labels"] = record.labels
    if section is Section.EDGE:
        shown["type"] = record.labels[0]
    shown["properties"] = {
        name: value if type(value) in _PLAIN else _value(value) for name, value in record.properties.items()
    }
    return shown


def _value(value: Value) -> object:
    return [_scalar(item) for item in value] if isinstance(value, list) else _scalar(value)


def _scalar(value: Scalar) -> object:
    if isinstance(value, Moment):
        return {"datetime": value.text}
    if isinstance(value, float) and not math.isfinite(value):
        return {"float": str(value)}
    return value
