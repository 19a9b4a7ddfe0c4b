import pytest

from extraction.entities.legible import make_legible
from extraction.entities.spans import Found, settle_spans, trim


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("  Marie Curie\n", "Marie Curie"),
        ('"Marie Curie"', "Marie Curie"),
        ("(Marie Curie)", "Marie Curie"),
        ("( “Marie Curie” ),", "Marie Curie"),
        ("Marie Curie (physicist)", "Marie Curie (physicist)"),
        ("(R)-glucose", "(R)-glucose"),
        ("Curie)", "Curie"),
        ("A*", "A*"),
        ("**Neo4j**", "Neo4j"),
        ("C++", "C++"),
        (".NET", ".NET"),
        ("Acme Inc.", "Acme Inc."),
        ("「東京」", "東京"),
        ("\u200bParis\ufeff", "Paris"),
        ("❤️ 👩‍👧 Paris™", "Paris"),
        ('" , (', ""),
    ],
)
def test_a_span_is_trimmed_to_the_name(text: str, name: str) -> None:
    start, end = trim(text, 0, len(text))

    assert text[start:end] == name


def test_a_span_takes_in_the_marks_of_its_letters() -> None:
    text = "de Rene\u0301 et"

    assert settle_spans(text, [Found(3, 7, "person", 0.9)])[0].text == "Rene\u0301"


def test_of_overlapping_spans_the_surest_stays_then_the_longest_then_the_first() -> None:
    text = "New York Times Square Garden"
    found = [
        Found(0, 14, "organization", 0.8),
        Found(4, 21, "location", 0.9),
        Found(15, 28, "location", 0.7),
        Found(22, 28, "location", 0.6),
        Found(0, 3, "product", 0.6),
        Found(0, 3, "location", 0.6),
    ]

    kept = settle_spans(text, found)

    assert [(one.text, one.kind, one.score) for one in kept] == [
        ("New", "location", 0.6),
        ("York Times Square", "location", 0.9),
        ("Garden", "location", 0.6),
    ]
    assert [one.text for one in settle_spans("New York", [Found(0, 3, "person", 0.5), Found(0, 8, "person", 0.5)])] == [
        "New York"
    ]


def test_a_text_for_a_model_has_every_character_at_its_place() -> None:
    text = "a\x00b\ud800c\tüb 😀 " + "x" * 5_000 + " end"

    seen = make_legible(text)

    assert len(seen) == len(text)
    assert seen.startswith("a b\ufffdc\tüb 😀 xxx")
    assert max(map(len, seen.split())) == 100
    assert seen.endswith(" end")
    seen.encode()


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("Life\n\nMarie Curie", "Life.\nMarie Curie"),
        ("Life \n \nMarie", "Life.\n \nMarie"),
        ("The end.\n\nMarie", "The end.\n\nMarie"),
        ("# Life\nMarie", "# Life.Marie"),
        ("one\ntwo", "one\ntwo"),
    ],
)
def test_a_paragraph_ends_before_the_next_one_begins(text: str, seen: str) -> None:
    assert make_legible(text) == seen
    assert len(seen) == len(text)
