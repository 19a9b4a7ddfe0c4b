"""Short forms that a text explains in brackets."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extraction.documents.acronyms import find_acronyms


@pytest.mark.parametrize(
    ("text", "short", "long"),
    [
        (
            "She taught at the Massachusetts Institute of Technology (MIT).",
            "MIT",
            "Massachusetts Institute of Technology",
        ),
        ("MIT (Massachusetts Institute of Technology) is old.", "MIT", "Massachusetts Institute of Technology"),
        ("The Department of Defense (DoD) paid.", "DoD", "Department of Defense"),
        (
            "the United Nations Educational, Scientific and Cultural Organization (UNESCO)",
            "UNESCO",
            "United Nations Educational, Scientific and Cultural Organization",
        ),
        ("by heat shock protein (HSP) alone", "HSP", "heat shock protein"),
        ("deoxyribonucleic acid (DNA)", "DNA", "deoxyribonucleic acid"),
        ("a small interfering RNA (siRNA)", "siRNA", "small interfering RNA"),
        ("HyperText Markup Language (HTML)", "HTML", "HyperText Markup Language"),
        ("an application programming interface (API; see below)", "API", "application programming interface"),
        ("International Business Machines Corporation (IBM)", "IBM", "International Business Machines Corporation"),
        ("🎉 Организация Объединённых Наций (ООН) 🎉", "ООН", "Организация Объединённых Наций"),
        ("die Deutsche Forschungsgemeinschaft (DFG)", "DFG", "Deutsche Forschungsgemeinschaft"),
    ],
)
def test_found_with_exact_places(text: str, short: str, long: str) -> None:
    [found] = find_acronyms(text)

    assert (found.short, found.long) == (short, long)
    assert text[found.short_start : found.short_end] == short
    assert text[found.long_start : found.long_end] == long


@pytest.mark.parametrize(
    "text",
    [
        "as the curve shows (see Fig. 2)",
        "Marie Curie (1867)",
        "the capital of France (Paris)",
        "a Member of Parliament (UK)",
        "they met in New York (USA)",
        "of whom Marie met Pierre (MP)",
        "We saw the World. Health matters (WHM)",
        "東京 (JR)",
        "(MIT)",
        "MIT ()",
        "Massachusetts Institute of Technology (MI",
    ],
)
def test_nothing_is_made_up(text: str) -> None:
    assert find_acronyms(text) == []


def test_several_come_in_order() -> None:
    text = "The World Bank Group (WBG) and the World Trade Organization (WTO) met; WBG (World Bank Group) led."

    assert [found.short for found in find_acronyms(text)] == ["WBG", "WTO", "WBG"]


@given(st.text(alphabet="abAB é世.,;()（） \n-&", max_size=80))
def test_places_are_exact_in_any_text(text: str) -> None:
    for found in find_acronyms(text):
        assert text[found.short_start : found.short_end] == found.short
        assert text[found.long_start : found.long_end] == found.long
