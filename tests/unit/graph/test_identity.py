"""Ids: what must stay apart, what must be one."""

import itertools
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graph.errors import InvalidInput
from graph.identity import edge_id, entity_id, mention_id, name_key, package_id, segment_id, symbol_id
from graph.model import DocumentId, NodeId

APART = [
    ("ASR1603", "ASR1605"),
    ("SR-2023-052", "SR-2023-053"),
    ("jest-native", "react-native"),
    ("C", "C++", "C#", ".NET", "NET"),
    ("Java", "JavaScript"),
    ("Paris", "Paris Hilton"),
    ("東京", "京都"),
    ("iPhone 14", "iPhone 15"),
    ("🔥", "💧", "-", "+"),
    ("Zürich", "Zurich"),
]
ONE = [
    (unicodedata.normalize("NFC", "José"), unicodedata.normalize("NFD", "José")),
    ("ＡＢＣ", "ABC", "abc"),
    ("Marie Curie", "Marie\u00a0Curie", "MARIE CURIE", "marie-curie", "Marie  Curie", '"Marie Curie"', "(Marie_Curie)"),
    ("O'Brien", "O\u2019Brien"),
    ("Acme Inc.", "Acme Inc"),
    ("STRASSE", "Straße"),
]


@pytest.mark.parametrize(("first", "second"), [pair for group in APART for pair in itertools.combinations(group, 2)])
def test_these_stay_apart(first: str, second: str) -> None:
    assert entity_id(first) != entity_id(second)


@pytest.mark.parametrize(("first", "second"), [pair for group in ONE for pair in itertools.combinations(group, 2)])
def test_these_are_one(first: str, second: str) -> None:
    assert entity_id(first) == entity_id(second)


@given(st.text(min_size=1).filter(str.strip))
def test_an_id_is_never_empty_and_its_key_is_stable(name: str) -> None:
    assert entity_id(name)
    assert name_key(name_key(name)) == name_key(name)


@pytest.mark.parametrize("blank", ["", " ", "\t\n", "\u3000"])
def test_a_blank_name_is_refused(blank: str) -> None:
    with pytest.raises(InvalidInput, match="blank"):
        entity_id(blank)


def test_code_ids_keep_their_case() -> None:
    assert symbol_id("a/B.py", "Class.method") == "a/B.py::Class.method"
    assert package_id("PIL") == "pkg:PIL"


def test_a_fact_is_one_edge_wherever_it_is_stated_unless_a_moment_is_part_of_it() -> None:
    a, b = NodeId("a"), NodeId("b")

    assert edge_id(a, "calls", b) == edge_id(a, "calls", b)
    ids = {
        edge_id(a, "calls", b),
        edge_id(b, "calls", a),
        edge_id(a, "imports", b),
        edge_id(a, "calls", b, segment="d#frame_1"),
        edge_id(a, "calls", b, ts_start="1.0"),
    }
    assert len(ids) == 5
    assert all(len(one) == 16 for one in ids)


def test_segments_and_mentions_are_told_apart_by_document_and_place() -> None:
    one, two = segment_id(DocumentId("a"), "frame_1"), segment_id(DocumentId("b"), "frame_1")

    assert one == "a#frame_1"
    assert len({mention_id(one, "n", 0, 1), mention_id(two, "n", 0, 1), mention_id(one, "n", 0, 2)}) == 3
