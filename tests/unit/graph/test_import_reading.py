"""What of a file of JSON lines is refused before anything is written, and with which line."""

import gzip
import hashlib
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from graph.errors import InvalidInput
from graph.exports.lines import JsonWriter
from graph.exports.records import Record, Section
from graph.identity import edge_id
from graph.imports import reading
from graph.imports.reading import check_file

Line = dict[str, Any]


def node(node_id: str) -> Record:
    properties: dict[str, Any] = {"node_id": node_id, "name": node_id, "name_key": node_id, "kind": "person"}
    return Record(None, None, ["Node", "Person"], properties | {"aliases": []})


def edge(source: str, target: str) -> Record:
    own = edge_id(source, "won", target)  # type: ignore[arg-type]
    properties = {"edge_id": own, "relation": "won", "provenance": "EXTRACTED", "confidence": 1.0}
    return Record(source, target, ["WON"], properties)  # type: ignore[arg-type]


def document() -> Record:
    properties = {"source_doc_id": "d", "folder_id": "f", "content_hash": "", "facts_hash": "", "modality": "TEXT"}
    return Record(None, None, ["Document"], properties | {"status": "DONE", "text_bytes": 3})


def segment() -> Record:
    properties = {"segment_id": "d#L1", "label": "L1", "ordinal": 0, "text": "né", "char_offset": 0, "line_start": 1}
    return Record("d", None, ["Segment"], properties | {"modality": "TEXT"})


def whole() -> list[Line]:
    """Header, document, segment, nodes a and b, an edge, the end: lines 1 to 7."""
    file = io.BytesIO()
    writer = JsonWriter(file)
    writer.begin()
    writer.write(Section.DOCUMENT, [document()])
    writer.write(Section.SEGMENT, [segment()])
    writer.write(Section.NODE, [node("a"), node("b")])
    writer.write(Section.EDGE, [edge("a", "b")])
    writer.end("0" * 64)
    return [json.loads(line) for line in file.getvalue().splitlines()]


def write(folder: Path, lines: list[Line | bytes]) -> Path:
    file = folder / "graph.jsonl"
    file.write_bytes(b"".join(one if isinstance(one, bytes) else json.dumps(one).encode() + b"\n" for one in lines))
    return file


def unsealed(lines: list[Line]) -> list[Line]:
    """As they are after an edit on purpose, which leaves no sha256."""
    del lines[-1]["sha256"]
    return lines


def test_a_whole_file_is_known_by_its_contents(tmp_path: Path) -> None:
    lines = [json.dumps(line, separators=(",", ":")).encode() + b"\n" for line in whole()]
    plain = write(tmp_path, list(lines))
    packed = tmp_path / "graph.jsonl.gz"
    packed.write_bytes(gzip.compress(plain.read_bytes()))

    facts = check_file(plain, "graph")

    assert facts == check_file(packed, "graph")
    assert facts.sha256 == hashlib.sha256(b"".join(lines)).hexdigest()
    assert (facts.total, facts.counts[Section.NODE], facts.text_bytes) == (5, 2, 3)


def change(place: int, path: str, value: object) -> Callable[[list[Line]], None]:
    def work(lines: list[Line]) -> None:
        *way, last = path.split(".")
        target: Any = lines[place]
        for name in way:
            target = target[name]
        target[last] = value

    return work


def swap(first: int, second: int) -> Callable[[list[Line]], None]:
    def work(lines: list[Line]) -> None:
        lines[first], lines[second] = lines[second], lines[first]

    return work


FAULTS: list[tuple[Callable[[list[Line]], object], int, str]] = [
    (change(0, "format", "other"), 1, "format"),
    (change(0, "version", 2), 1, "version 2"),
    (lambda lines: lines.pop(0), 1, "a header is the first line"),
    (lambda lines: lines.insert(2, lines[0]), 3, "a header is the first line"),
    (lambda lines: lines.insert(4, lines[3]), 5, "'a' is there twice"),
    (lambda lines: lines.insert(6, lines[5]), 7, "is there twice"),
    (swap(3, 4), 5, "out of order"),
    (swap(2, 3), 4, "out of order"),
    (lambda lines: lines.pop(4), 6, "records were lost"),
    (lambda lines: lines.pop(), 6, "cut off"),
    (lambda lines: lines.append(lines[5]), 8, "more after the end"),
    (change(3, "labels", ["Node", "`) DETACH DELETE n //"]), 4, "labels"),
    (change(3, "labels", ["Node", "Person", "Admin"]), 4, "labels"),
    (change(3, "properties.kind", "`) DETACH DELETE n //"), 4, "Unknown kind"),
    (change(5, "type", "`]->() DETACH DELETE s //"), 6, "the type"),
    (change(5, "properties.relation", "owns"), 6, "Unknown relation"),
    (change(3, "properties.odd", 1), 4, "unknown field `odd`"),
    (change(3, "properties.name", None), 4, "Expected `str`"),
    (change(3, "properties.name", {"float": "nan"}), 4, "Expected `str`"),
    (change(3, "properties.aliases", [["deep"]]), 4, "Expected `str`"),
    (change(3, "properties.line_start", 2**63), 4, "9223372036854775807"),
    (change(3, "properties.node_id", ""), 4, "length"),
    (change(5, "properties.confidence", 1.5), 6, "<= 1"),
    (change(5, "properties.provenance", "GUESSED"), 6, "Invalid enum value"),
    (change(1, "properties.ingested_at", {"datetime": "2026-02-30T00:00:00Z"}), 2, "no date and time"),
    (change(1, "properties.ingested_at", {"datetime": "now"}), 2, "match"),
    (change(1, "properties.text_bytes", 0), 7, "bytes of text"),
    (change(1, "record", "secret"), 2, "Invalid value 'secret'"),
    (change(6, "hash", "0"), 7, "match"),
]


@pytest.mark.parametrize(("spoil", "line", "words"), FAULTS)
def test_a_fault_is_told_with_its_line(
    tmp_path: Path, spoil: Callable[[list[Line]], object], line: int, words: str
) -> None:
    lines = unsealed(whole())
    spoil(lines)

    with pytest.raises(InvalidInput) as caught:
        check_file(write(tmp_path, list(lines)), "graph")

    assert str(caught.value).startswith(f"graph, line {line}: ")
    assert words in str(caught.value)


def test_an_edited_file_without_a_sha256_is_taken(tmp_path: Path) -> None:
    lines = unsealed(whole())
    lines[3]["properties"]["name"] = "Another"

    assert check_file(write(tmp_path, list(lines)), "graph").total == 5


@pytest.mark.parametrize("place", range(1, 6))
def test_any_other_change_is_noticed(tmp_path: Path, place: int) -> None:
    file = write(tmp_path, list(whole()))
    lines = file.read_bytes().splitlines(keepends=True)
    lines[place] = lines[place].replace(b'"properties"', b' "properties"')
    file.write_bytes(b"".join(lines))

    with pytest.raises(InvalidInput, match=r"line 7: the sha256 .* changed or damaged"):
        check_file(file, "graph")


@pytest.mark.parametrize(
    "line",
    [
        b"[" * 100_000 + b"\n",
        b'{"record":"node","labels":' + b"[" * 100_000 + b"\n",
        b'{"record":"node","labels":["Node"],"properties":{"node_id":"a\0"}}\n',
        b'{"record":"document","properties":{"source_doc_id":"\\ud800"}}\n',
        b'{"record":"node"\xff}\n',
        b"\n",
        b"null\n",
    ],
)
def test_what_is_no_record_is_refused(tmp_path: Path, line: bytes) -> None:
    with pytest.raises(InvalidInput, match=r"^graph, line 2: .{1,310}$"):
        check_file(write(tmp_path, [whole()[0], line]), "graph")


def test_a_line_without_an_end_is_not_read_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "MAX_LINE_BYTES", 200)

    with pytest.raises(InvalidInput, match="line 2: it is longer than 200 bytes"):
        check_file(write(tmp_path, [whole()[0], b" " * 1_000]), "graph")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (b"// A graph of Cogniverse Graph.\nCREATE CONSTRAINT x;\n", "cypher-shell"),
        (b'<?xml version="1.0" encoding="UTF-8"?>\n', "Gephi"),
        (b"name,kind\n", "no header"),
        (b"\0\0", "no header"),
    ],
)
def test_other_files_are_told_apart(tmp_path: Path, text: bytes, words: str) -> None:
    with pytest.raises(InvalidInput, match=f"graph, line 1: .*{words}"):
        check_file(write(tmp_path, [text]), "graph")


def test_an_empty_file_is_cut_off(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="cut off"):
        check_file(write(tmp_path, []), "graph")


@pytest.mark.parametrize("kept", [5, 40, -5])
def test_a_damaged_compressed_file_is_refused(tmp_path: Path, kept: int) -> None:
    file = tmp_path / "graph.jsonl.gz"
    file.write_bytes(gzip.compress(write(tmp_path, list(unsealed(whole()))).read_bytes())[:kept])

    with pytest.raises(InvalidInput, match=r"compressed data|cut off"):
        check_file(file, "graph")


def test_a_file_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="can't be read: No such file"):
        check_file(tmp_path / "none", "graph")
