import pytest

from graph.coverage import measure_coverage
from graph.terms import index_terms


def measure(query: str, *texts: str) -> list[float]:
    said = {str(number): index_terms(text).split() for number, text in enumerate(texts)}
    return list(measure_coverage(query, said).values())


def test_what_says_all_covers_all() -> None:
    assert measure("red apple", "a red apple", "apple red") == [pytest.approx(1.0)] * 2
    assert measure("E17", "error E17") == [pytest.approx(1.0)]


def test_a_word_that_all_say_weighs_less_than_one_that_few_say() -> None:
    tide, *others = measure("why does the tide turn", "the tide", *["the moon"] * 20)

    assert tide > 3 * others[0]
    assert others[0] < 0.05


def test_no_list_of_words_is_needed_for_that() -> None:
    best, other = measure("der die das Mond", "der die Mond", "der die Sonne")

    assert best > other


@pytest.mark.parametrize(
    ("query", "text"), [("search agent", "SearchAgent"), ("SearchAgent", "searchagent"), ("東京都庁", "東京都庁の")]
)
def test_a_word_is_said_when_it_is_joined_or_taken_apart(query: str, text: str) -> None:
    assert measure(query, text)[0] > 0.6


@pytest.mark.parametrize("query", ["", "+++", "x" * 500])
def test_what_nothing_says_is_not_covered(query: str) -> None:
    assert measure(query, "apple") == [0.0]
    assert measure(query) == []
