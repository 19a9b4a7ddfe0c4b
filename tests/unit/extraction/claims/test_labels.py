import json
from pathlib import Path

import pytest

from extraction.claims.base import ClaimText, PriorEntity
from extraction.claims.labels import load_labels, make_fact
from graph.errors import InvalidInput

GOOD = {"text": "Ada won gold.", "claims": [{"subject": "Ada", "predicate": "won", "object": "gold"}]}


def write(tmp_path: Path, *lines: object) -> Path:
    path = tmp_path / "labels.jsonl"
    path.write_text("\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines), encoding="utf-8")
    return path


def test_a_labelled_file(tmp_path: Path) -> None:
    entities = ["Ada", {"name": "Gold", "kind": "Award"}]
    first, second = load_labels(write(tmp_path, GOOD | {"entities": entities}, "", {"text": "Nothing.", "claims": []}))
    assert first.text == ClaimText("Ada won gold.", (PriorEntity("Ada", "entity"), PriorEntity("Gold", "award")))
    assert first.facts == {("ada", "won", "gold")}
    assert second.facts == frozenset()


def test_passive_labels_are_turned_round(tmp_path: Path) -> None:
    passive = GOOD | {"claims": [{"subject": "Gold", "predicate": "won by", "object": "ADA"}]}
    assert load_labels(write(tmp_path, passive))[0].facts == {("ada", "won", "gold")}


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (("A", "part_of", "B"), ("B", "contains", "A")),
        (("A", "preceded_by", "B"), ("B", "followed_by", "A")),
        (("A", "contradicts", "B"), ("b", "contradicts", "a")),
    ],
)
def test_facts_that_say_the_same_are_equal(one: tuple[str, str, str], other: tuple[str, str, str]) -> None:
    assert make_fact(*one) == make_fact(*other)
    assert make_fact("A", "won", "B") != make_fact("B", "won", "A")


def test_bad_lines_are_named_by_number(tmp_path: Path) -> None:
    path = write(
        tmp_path,
        GOOD,
        "{not json",
        "[]",
        {"text": "", "claims": []},
        {"text": "x"},
        {"text": "x", "claims": ["y"]},
        {"text": "x", "claims": [{"subject": "a", "predicate": "owns", "object": "b"}]},
        {"text": "x", "claims": [], "entities": [{"name": "a", "kind": "planet"}]},
        {"text": "x", "claims": [], "entities": [3]},
    )
    with pytest.raises(InvalidInput) as failure:
        load_labels(path)
    message = str(failure.value)
    assert "line 1:" not in message
    assert "line 2: not JSON" in message
    assert "line 3: the line is not a JSON object" in message
    assert "line 4: 'text' is missing or no text" in message
    assert "line 5: 'claims' is missing or no list" in message
    assert "line 6: a claim is not a JSON object" in message
    assert "line 7: 'owns' is not a predicate" in message
    assert "line 8: unknown kind 'planet'" in message
    assert "line 9: an entity is not a JSON object" in message


def test_of_very_many_bad_lines_the_first_are_named(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match=r"line 10: .*; and 30 more$"):
        load_labels(write(tmp_path, *(["oops"] * 40)))


def test_files_that_are_none(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="can't be read: No such file"):
        load_labels(tmp_path / "missing")
    with pytest.raises(InvalidInput, match="can't be read"):
        load_labels(tmp_path)
    with pytest.raises(InvalidInput, match="no labelled text"):
        load_labels(write(tmp_path, ""))
    (tmp_path / "latin").write_bytes(b"caf\xe9")
    with pytest.raises(InvalidInput, match="not UTF-8"):
        load_labels(tmp_path / "latin")
