"""Files of JSON lines, read in flat memory: each line checked by itself and against those before it."""

import gzip
import hashlib
import zlib
from collections import Counter
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import IO, Any, Final, cast

import msgspec

from graph.errors import InvalidInput
from graph.exports.lines import FORMAT, VERSION
from graph.exports.records import Section
from graph.identity import edge_id
from graph.imports import shapes
from graph.model import NodeId
from graph.vocabulary import kind_label, relation_type

MAX_LINE_BYTES: Final = 256_000_000
"""More than the text of any document that is read takes, with every character escaped."""

_GZIP: Final = b"\x1f\x8b"
_PROGRESS_LINES: Final = 5_000
_SHOWN_CHARS: Final = 300
_decode: Final = msgspec.json.Decoder(shapes.Line).decode

_Key = tuple[str, ...]
_KEYS: Final[dict[type[msgspec.Struct], tuple[Section, Callable[[Any], _Key]]]] = {
    shapes.FolderLine: (Section.FOLDER, lambda line: (line.properties.folder_id,)),
    shapes.MergeLine: (Section.MERGE, lambda line: (line.properties.merge_id,)),
    shapes.MergeStateLine: (Section.MERGE_STATE, lambda line: (line.properties.name,)),
    shapes.OriginLine: (Section.ORIGIN, lambda line: (line.properties.node_id,)),
    shapes.DocumentLine: (Section.DOCUMENT, lambda line: (line.properties.source_doc_id,)),
    shapes.SegmentLine: (Section.SEGMENT, lambda line: (line.properties.segment_id,)),
    shapes.NodeLine: (Section.NODE, lambda line: (line.properties.node_id,)),
    shapes.EdgeLine: (Section.EDGE, lambda line: (line.source, line.properties.edge_id)),
    shapes.MentionLine: (Section.MENTION, lambda line: (line.properties.mention_id,)),
    shapes.OriginLinkLine: (Section.ORIGIN_LINK, lambda line: (line.origin, line.mention)),
    shapes.UnresolvedLine: (Section.UNRESOLVED, lambda line: (line.document,)),
}
_ORDER: Final = {section: place for place, section in enumerate(Section)}


@dataclass(frozen=True, slots=True)
class Facts:
    """What is known of a file that was read to its end.

    `sha256` is of all of its lines, uncompressed; `hash` is that of the graph, `text_bytes` are what its documents'
    texts take in UTF-8.
    """

    sha256: str
    hash: str
    counts: Mapping[Section, int]
    text_bytes: int

    @property
    def total(self) -> int:
        """The number of records."""
        return sum(self.counts.values())


def check_file(file: Path, name: str, on_progress: Callable[[int], None] = lambda _: None) -> Facts:
    """Read a file whole. Raises InvalidInput, with `name` and the line, for the first fault.

    Faults are what is no record of the format, records out of order, twice or too few, and values that the program
    does not write. That what a record refers to is there can only be told by a database.
    """
    check = _Check()
    with _opened(file, name) as stream, _located(name) as place:
        for line in _read_lines(stream):
            place.line += 1
            check.add(line, parse(line, first=place.line == 1))
            if place.line % _PROGRESS_LINES == 0:
                on_progress(place.line)
        return check.end()


def read_records(file: Path, name: str) -> Iterator[tuple[int, int, shapes.RecordLine]]:
    """The line number, size in bytes and contents of each record of a file that was checked."""
    with _opened(file, name) as stream, _located(name) as place:
        for line in _read_lines(stream):
            place.line += 1
            parsed = parse(line, first=place.line == 1)
            if not isinstance(parsed, (shapes.Header, shapes.End)):
                yield place.line, len(line), parsed


def parse(line: bytes, *, first: bool = False) -> shapes.Line:
    """A line as what it is. Raises InvalidInput without a place."""
    if len(line) > MAX_LINE_BYTES:
        raise InvalidInput(f"it is longer than {MAX_LINE_BYTES:,} bytes")
    try:
        return _decode(line)
    except RecursionError as exc:
        raise InvalidInput("it is nested more deeply than any record") from exc
    except (msgspec.MsgspecError, UnicodeDecodeError) as exc:
        cut = "" if line.endswith(b"\n") else " (the file ends in the middle of it: export the graph again)"
        raise InvalidInput(_foreign(line) if first else f"{exc}{cut}") from exc


class _Check:
    """What can only be told of a line by those before it."""

    def __init__(self) -> None:
        self.lines = 0
        self._digest = hashlib.sha256()
        self._counts: Counter[Section] = Counter()
        self._section = next(iter(Section))
        self._key: _Key = ()
        self._end: shapes.End | None = None
        self._timed_edges: set[str] = set()
        self._texts = _TextBytes()

    def add(self, text: bytes, line: shapes.Line) -> None:
        """Take the next line."""
        self.lines += 1
        if self._end is not None:
            raise InvalidInput("there is more after the end")
        if (self.lines == 1) != isinstance(line, shapes.Header):
            raise InvalidInput("a header is the first line, and only that")
        if isinstance(line, shapes.Header):
            _check_header(line)
        elif isinstance(line, shapes.End):
            self._check_end(line)
        else:
            self._check_order(line)
            self._check_values(line)
        self._digest.update(text)

    def end(self) -> Facts:
        """What the whole file is."""
        if self._end is None:
            raise InvalidInput("the file ends here without its last line: it was cut off. Export the graph again")
        return Facts(self._digest.hexdigest(), self._end.hash, dict(self._counts), self._texts.held)

    def _check_end(self, line: shapes.End) -> None:
        counts = {section.value: self._counts[section] for section in Section}
        if line.counts != counts:
            different = sorted(name for name in counts | line.counts if line.counts.get(name) != counts.get(name))
            raise InvalidInput(f"records were lost or added: the counts of {', '.join(different)} are others")
        if line.sha256 not in (None, self._digest.hexdigest()):
            raise InvalidInput("the sha256 of all lines before this one is another: the file was changed or damaged")
        self._texts.check()
        self._end = line

    def _check_order(self, line: shapes.RecordLine) -> None:
        section, get_key = _KEYS[type(line)]
        key = get_key(line)
        if section != self._section:
            if _ORDER[section] < _ORDER[self._section]:
                raise InvalidInput(f"a {section.value} after a {self._section.value} is out of order")
            self._section = section
        elif key <= self._key and (key != self._key or section is not Section.UNRESOLVED):
            fault = "is there twice" if key == self._key else "is out of order: records are sorted by their ids"
            raise InvalidInput(f"the {section.value} {' '.join(key)!r} {fault}")
        self._key = key
        self._counts[section] += 1

    def _check_values(self, line: shapes.RecordLine) -> None:
        match line:
            case shapes.NodeLine():
                _check_labels(line)
            case shapes.EdgeLine():
                self._check_edge(line)
            case shapes.MentionLine():
                _check_mention(line)
            case shapes.DocumentLine(properties=properties):
                _check_time(properties.ingested_at)
                self._texts.add_document(properties.text_bytes)
            case shapes.SegmentLine(properties=properties):
                self._texts.add_segment(properties.text)
            case shapes.MergeLine(properties=properties):
                _check_time(properties.at)
            case _:
                return

    def _check_edge(self, line: shapes.EdgeLine) -> None:
        own, relation = line.properties.edge_id, line.properties.relation
        if relation_type(relation) != line.type:
            raise InvalidInput(f"the type {line.type!r} is not that of the relation {relation!r}")
        # The id of a fact that no moment belongs to follows from it, so it can't be there twice but with the same
        # ends, which stand together. Others are few: facts of recordings.
        if own != edge_id(NodeId(line.source), relation, NodeId(line.target)):
            if own in self._timed_edges:
                raise InvalidInput(f"the edge {own!r} is there twice")
            self._timed_edges.add(own)


class _TextBytes:
    """Whether the documents have as many bytes of text as they say; files of before said nothing."""

    def __init__(self) -> None:
        self.held = 0
        self._said: int | None = 0

    def add_document(self, said: int | None) -> None:
        self._said = None if said is None or self._said is None else self._said + said

    def add_segment(self, text: str) -> None:
        self.held += len(text.encode())

    def check(self) -> None:
        if self._said not in (None, self.held):
            raise InvalidInput(f"the documents say that they have {self._said} bytes of text, and have {self.held}")


def _check_header(line: shapes.Header) -> None:
    if line.format != FORMAT:
        raise InvalidInput(f"the format is {line.format!r}, not {FORMAT!r}")
    if line.version != VERSION:
        raise InvalidInput(
            f"version {line.version} of the format is not read by this program, which knows {VERSION}: update it"
        )


def _check_labels(line: shapes.NodeLine) -> None:
    wanted = sorted(("Node", kind_label(line.properties.kind)))
    if sorted(line.labels) != wanted:
        raise InvalidInput(f"a node of kind {line.properties.kind!r} has the labels {wanted}, not {line.labels}")


def _check_mention(line: shapes.MentionLine) -> None:
    if line.properties.relation is not None:
        relation_type(line.properties.relation)
    for kind in (line.properties.kind, line.properties.stated_kind):
        if kind is not None:
            kind_label(kind)


def _check_time(moment: shapes.Moment | None) -> None:
    if moment is not None:
        try:
            datetime.fromisoformat(moment.datetime)
        except ValueError as exc:
            raise InvalidInput(f"{moment.datetime} is no date and time") from exc


def _foreign(line: bytes) -> str:
    """What to do with a file that is something else."""
    start = line.lstrip(b"\xef\xbb\xbf \t")
    if start.startswith((b"//", b"CREATE ")):
        return (
            "this is Cypher, which Neo4j itself runs: `cypher-shell --file FILE` or Neo4j Browser in an empty database."
            " What is imported here is made by `cogniverse export --format json`"
        )
    if start.startswith(b"<"):
        return (
            "this is XML, which is for other tools, such as Gephi. What is imported here is made by"
            " `cogniverse export --format json`"
        )
    return "this is no header of a graph that `cogniverse export --format json` wrote"


def _read_lines(stream: IO[bytes]) -> Iterator[bytes]:
    """The lines; one that is too long is cut, and still too long."""
    try:
        while line := stream.readline(MAX_LINE_BYTES + 1):
            yield line
    except (EOFError, zlib.error, gzip.BadGzipFile) as exc:
        raise InvalidInput(f"the compressed data after it are cut off or damaged ({exc})") from exc


@contextmanager
def _opened(file: Path, name: str) -> Generator[IO[bytes]]:
    try:
        with file.open("rb") as plain:
            packed = plain.read(len(_GZIP)) == _GZIP
            plain.seek(0)
            yield cast("IO[bytes]", gzip.GzipFile(fileobj=plain, mode="rb")) if packed else plain
    except OSError as exc:
        raise InvalidInput(f"{name} can't be read: {exc.strerror or exc}. Give a file that can be.") from exc


@dataclass(slots=True)
class _Place:
    line: int = 0


@contextmanager
def _located(name: str) -> Generator[_Place]:
    """Say of faults where they are."""
    place = _Place()
    try:
        yield place
    except InvalidInput as exc:
        text = str(exc).rstrip(".")
        shown = text if len(text) <= _SHOWN_CHARS else f"{text[:_SHOWN_CHARS]}…"
        where = f"{name}, line {place.line}" if place.line else name
        raise InvalidInput(f"{where}: {shown}.") from exc
