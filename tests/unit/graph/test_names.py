"""Which names are one, which may be, and which never are."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.names import UNSEEN, Pair, are_one, load_pairs, measure
from graph.identity import entity_id, name_key
from graph.names import score_names
from graph.vocabulary import ENTITY_KINDS

PAIRS = load_pairs()
C1 = [
    ("ASR1603", "ASR1605"),
    ("SR-2023-052", "SR-2023-053"),
    ("jest-native", "react-native"),
    ("C", "C++", "C#"),
    ("Java", "JavaScript"),
    ("Paris", "Paris Hilton"),
    ("東京", "京都"),
    ("iPhone 14", "iPhone 15"),
]


def test_the_labelled_pairs_are_many_and_of_both_kinds() -> None:
    different = sum(not pair.same for pair in PAIRS)

    assert len(PAIRS) >= 300
    assert different >= 0.4 * len(PAIRS)
    assert len({frozenset((pair.name_a, pair.name_b)) for pair in PAIRS}) == len(PAIRS)
    assert {pair.kind for pair in PAIRS} == set(ENTITY_KINDS)


def test_nothing_is_merged_by_id_that_is_not_one() -> None:
    every = [*PAIRS, *load_pairs(UNSEEN)]
    precision, _, wrong = measure(every, lambda pair: are_one(pair.name_a, pair.name_b))

    assert [pair for pair in wrong if not pair.same] == []
    assert precision == 1.0


def test_names_of_one_thing_are_merged_or_suggested() -> None:
    def found(pair: Pair) -> bool:
        return are_one(pair.name_a, pair.name_b) or score_names(pair.name_a, pair.name_b, kind=pair.kind) >= 0.8

    precision, recall, _ = measure(PAIRS, found)

    assert recall >= 0.95
    assert precision >= 0.98


@pytest.mark.parametrize("kind", ENTITY_KINDS)
@pytest.mark.parametrize(("a", "b"), [pair for group in C1 for pair in itertools.combinations(group, 2)])
def test_what_must_stay_apart_is_not_even_suggested(a: str, b: str, kind: str) -> None:
    assert not are_one(a, b)
    assert score_names(a, b, kind=kind) < 0.8


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("ASR1603", "ASR1605"),
        ("v1.2", "v1.20"),
        ("snake_case", "snake_cases"),
        ("SearchAgent", "SearchAgents"),
        ("src/app.py", "src/api.py"),
        ("graph::store", "graph::stores"),
        ("C++", "C+"),
        ("A*", "A"),
    ],
)
def test_code_is_the_same_or_nothing(a: str, b: str) -> None:
    assert score_names(a, b, kind="technology") == 0.0
    assert score_names(a, a, kind="technology") == 1.0


@pytest.mark.parametrize(
    ("a", "b", "kind", "least"),
    [
        ("Dr. Marie Curie", "Marie Curie", "person", 0.9),
        ("Curie, Marie", "Marie Curie", "person", 0.95),
        ("M. Curie", "Marie Curie", "person", 0.8),
        ("Kurt Gödel", "Kurt Goedel", "person", 0.95),
        ("Никола Тесла", "Nikola Tesla", "person", 0.85),
        ("Acme Inc.", "Acme Incorporated", "organization", 0.95),
        ("MIT", "Massachusetts Institute of Technology", "organization", 0.85),
        ("U.S.A.", "USA", "location", 0.95),
        ("12 May 1867", "1867-05-12", "date", 0.95),
        ("株式会社ソニー", "ソニー", "organization", 0.85),
    ],
)
def test_rules_of_names(a: str, b: str, kind: str, least: float) -> None:
    assert score_names(a, b, kind=kind) >= least


@pytest.mark.parametrize(
    ("a", "b", "kind"),
    [
        ("Mr. Curie", "Mrs. Curie", "person"),
        ("Frau Anna Weber", "Herr Anna Weber", "person"),
        ("Acme Inc.", "Acme GmbH", "organization"),
    ],
)
def test_what_contradicts_is_nothing(a: str, b: str, kind: str) -> None:
    assert score_names(a, b, kind=kind) == 0.0


def test_a_day_that_can_be_read_in_two_ways_is_none() -> None:
    assert score_names("12/05/1867", "12 May 1867", kind="date") == 0.0


@given(st.text(max_size=40), st.text(max_size=40), st.sampled_from(ENTITY_KINDS))
def test_a_score_is_a_share_and_the_same_in_either_order(a: str, b: str, kind: str) -> None:
    score = score_names(a, b, kind=kind)

    assert 0 <= score <= 1
    assert score == score_names(b, a, kind=kind)


SIGNED = [
    ("-5", "5"),
    ("$5", "€5", "5"),
    ("5%", "5"),
    ("10⁵", "105"),
    ("1½", "11/2"),
    ("A*", "A", "A′"),
    ("IDA*", "IDA"),
    ("Cl⁻", "Cl"),
    ("C--", "C", "C-"),
    ("B♭", "B"),
    ("5′", "5″"),
]


@pytest.mark.parametrize(("a", "b"), [pair for group in SIGNED for pair in itertools.combinations(group, 2)])
def test_signs_tell_names_apart(a: str, b: str) -> None:
    assert entity_id(a) != entity_id(b)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("5 %", "5%"),
        ("−5", "-5"),
        ("Infor\u00admation", "Information"),
        ("know\u200bledge", "knowledge"),
        ("\u202bשלום\u202c", "שלום"),
        ("Hawaiʻi", "Hawai'i"),
        ("O\u2032Brien", "O'Brien"),
        ("**Marie Curie**", "Marie Curie"),
        ("Marie Curie*", "Marie Curie"),
        ("- 5 apples", "5 apples"),
        ("$scope", "scope"),
    ],
)
def test_what_can_t_be_seen_and_marks_of_layout_tell_nothing(a: str, b: str) -> None:
    assert entity_id(a) == entity_id(b)


@given(st.text(alphabet="aBé5-−*%$€'′″.♭⁵½_ \u00ad\u0301()", max_size=8))
def test_a_key_of_a_key_is_itself(name: str) -> None:
    assert name_key(name_key(name)) == name_key(name)
