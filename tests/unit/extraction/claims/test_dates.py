import pytest

from extraction.claims.dates import read_period

TEXT = "She worked there from May 1990 until 31 May 2019, in the 1960s too, and \uff12\uff10\uff12\uff11."


def read(valid_from: str | None, valid_to: str | None = None) -> tuple[str | None, str | None, list[tuple[str, str]]]:
    notes: list[tuple[str, str]] = []
    start, end = read_period(valid_from, valid_to, text=TEXT, note=lambda field, reason: notes.append((field, reason)))
    return start, end, notes


@pytest.mark.parametrize(
    ("given", "date"),
    [
        ("1990", "1990"),
        ("1990-05", "1990-05"),
        ("2019-05-31", "2019-05-31"),
        ("2019-05-31T00:00:00Z", "2019-05-31"),
        ("1960", "1960"),
        ("2021", "2021"),
        (None, None),
        ("null", None),
    ],
)
def test_dates_of_any_precision(given: str | None, date: str | None) -> None:
    assert read(given) == (date, None, [])


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ("May 1990", "not a date as 2019, 2019-05 or 2019-05-31"),
        ("1990-13", "not a date as 2019, 2019-05 or 2019-05-31"),
        ("2019-02-30", "not a date as 2019, 2019-05 or 2019-05-31"),
        ("0000", "not a date as 2019, 2019-05 or 2019-05-31"),
        ("99", "not a date as 2019, 2019-05 or 2019-05-31"),
        ("1991", "its year is not in the text"),
    ],
)
def test_a_date_that_the_text_does_not_say_is_left_out(given: str, reason: str) -> None:
    assert read(given) == (None, None, [("valid_from", reason)])
    assert read(None, given) == (None, None, [("valid_to", reason)])


@pytest.mark.parametrize(
    ("start", "end"), [("1990", "2019"), ("2019", "2019-05"), ("2019-05-31", "2019"), ("2019", "2019")]
)
def test_a_period(start: str, end: str) -> None:
    assert read(start, end) == (start, end, [])


def test_a_period_that_ends_before_it_begins_is_left_out() -> None:
    assert read("2019-05", "1990") == (None, None, [("valid_from", "after valid_to")])
