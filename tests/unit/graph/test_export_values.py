"""How values are written in exports, and that nothing the program stores is left out of them."""

import io
import json
import math
import re
import xml.etree.ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graph.exports.cypher import CypherWriter, literal, quote
from graph.exports.graphml import GraphmlWriter
from graph.exports.lines import JsonWriter
from graph.exports.records import Moment, Record, Section
from graph.statements import load_text, statement_names

# What the database keeps for itself.
NOT_OF_THE_GRAPH = {"Import", "Job", "JobFile", "Migration", "MigrationLock", "Quota", "Tenant", "VectorState"}
EXPORTED = {"Folder", "Merge", "MergeState", "Origin", "Document", "Segment", "Node", "Mention", "Unresolved"}
TEXTS = st.text(st.characters(exclude_categories=["Cs"]))
NAMESPACE = "{http://graphml.graphdrawing.org/xmlns}"


def unquote(written: str) -> str:
    """What Cypher reads: first \\uXXXX, then the escapes of strings."""
    assert (written[0], written[-1]) == ("'", "'")
    short = {"n": "\n", "r": "\r", "t": "\t"}

    def read(match: re.Match[str]) -> str:
        return chr(int(match[1][1:], 16)) if match[1][0] == "u" else short.get(match[1], match[1])

    inner = written[1:-1]
    assert not re.search(r"(?<!\\)(\\\\)*'", inner)
    return re.sub(r"\\(u[0-9A-F]{4}|.)", read, inner)


@given(TEXTS)
def test_a_string_stays_itself_on_one_line(text: str) -> None:
    written = quote(text)

    assert unquote(written) == text
    assert len(written.splitlines()) == 1
    assert not re.search(r"[\x00-\x1f]", written)


@given(TEXTS)
def test_no_escape_has_a_meaning_in_cypher(text: str) -> None:
    meaning = {f"\\u{ord(char):04X}" for char in "'\"`\\\n\r"}

    # A pair of backslashes is one backslash of the data; what follows it is no escape.
    assert not meaning & set(re.findall(r"\\u[0-9A-F]{4}", quote(text).replace("\\\\", "")))


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (True, "true"),
        (-7, "-7"),
        (0.1, "0.1"),
        (1e-7, "1e-07"),
        (math.nan, "(0.0 / 0.0)"),
        (-math.inf, "(-1.0 / 0.0)"),
        (["a'b", 1, 2.5], "['a\\'b', 1, 2.5]"),
        ([], "[]"),
        (Moment("2026-11-30T07:23:19.5+00:00"), "datetime('2026-11-30T07:23:19.5+00:00')"),
    ],
)
def test_values_are_cypher_literals(value: object, written: str) -> None:
    assert literal(value) == written  # type: ignore[arg-type]


def test_statements_are_bounded() -> None:
    file = io.BytesIO()
    records = [Record(None, None, ["Document"], {"source_doc_id": f"{n}", "text": "x" * 1_000}) for n in range(1_000)]

    CypherWriter(file).write(Section.DOCUMENT, records)

    sizes = [len(line) for line in file.getvalue().splitlines()]
    assert max(sizes) < 210_000
    assert len(sizes) == 6


@given(TEXTS, TEXTS)
def test_graphml_holds_any_text(text: str, key: str) -> None:
    file = io.BytesIO()
    writer = GraphmlWriter(file)
    writer.begin()
    writer.write(Section.NODE, [Record(None, None, ["Node"], {"name": text, "node_id": key})])
    writer.end("hash")

    root = ET.fromstring(file.getvalue())  # noqa: S314 - our own
    names = {found.get("id"): found.get("attr.name") for found in root.iter(f"{NAMESPACE}key")}
    data = {names[found.get("key")]: found.text or "" for found in root.iter(f"{NAMESPACE}data")}
    assert (json.loads(data["name_json"]) if "name_json" in data else data["name"]) == text
    assert (json.loads(data["node_id_json"]) if "node_id_json" in data else data["node_id"]) == key


@given(TEXTS)
def test_json_is_one_line_of_ascii(text: str) -> None:
    file = io.BytesIO()
    JsonWriter(file).write(Section.NODE, [Record(None, None, ["Node"], {"name": text, "far": math.inf})])

    [line] = file.getvalue().decode("ascii").splitlines()
    assert json.loads(line)["properties"] == {"name": text, "far": {"float": "inf"}}


def test_all_that_is_ever_created_is_exported() -> None:
    texts = [load_text(name) for name in statement_names()]
    made = {
        label
        for text in texts
        for clause in re.findall(r"(?:CREATE|MERGE)\s+(.*)", text)
        for label in re.findall(r"\(\w*:(\w+)", clause)
    }

    assert {"Document", "Mention", "Folder", "Migration"} <= made
    assert made - NOT_OF_THE_GRAPH - EXPORTED == set()
