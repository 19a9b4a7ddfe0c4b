import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extraction.claims.drops import NotTaken
from extraction.claims.evidence import find_evidence
from extraction.claims.spans import SearchedText, Span

TEXT = "Marie Curie was born in Warsaw.  In 1903\nshe won the \u201cNobel Prize\u201d \u2014 with Pierre\u2019s help."


def found(text: str, quoted: str, *, near: tuple[str, ...] = ()) -> str:
    source = SearchedText(text)
    span = find_evidence(source, quoted, within=Span(0, len(text)), near=[source.find(name) for name in near])
    return text[span.start : span.end]


@pytest.mark.parametrize(
    ("quoted", "exact"),
    [
        ("Marie Curie was born in Warsaw", "Marie Curie was born in Warsaw"),
        ("born in Warsaw. In 1903 she won", "born in Warsaw.  In 1903\nshe won"),
        ("In\t1903   she\nwon", "In 1903\nshe won"),
        ('she won the "Nobel Prize"', "she won the \u201cNobel Prize\u201d"),
        ("\u2018Nobel Prize\u2019 - with", None),
        ("\u00abNobel Prize\u00bb - with Pierre's help", "\u201cNobel Prize\u201d \u2014 with Pierre\u2019s help"),
        ("MARIE CURIE was born", "Marie Curie was born"),
        ('"Marie Curie was born in Warsaw"', "Marie Curie was born in Warsaw"),
        ("\u201cMarie Curie was born\u2026\u201d", "Marie Curie was born"),
        ("...was born in Warsaw...", "was born in Warsaw"),
    ],
)
def test_exact_characters_come_back(quoted: str, exact: str | None) -> None:
    if exact is None:
        with pytest.raises(NotTaken):
            found(TEXT, quoted)
    else:
        assert found(TEXT, quoted) == exact


@pytest.mark.parametrize(
    ("quoted", "reason"),
    [
        ("Curie came from Warsaw", "evidence not in the text"),
        ("Marie Curie ... Nobel Prize", "evidence not in the text"),
        ("Albert Einstein was born in Ulm.", "evidence not in the text"),
        ("arie Curie was bor", "evidence not in the text"),
        ("", "no evidence"),
        (" \n", "no evidence"),
        ("\u2014 .", "no evidence"),
        ("word " * 121, "evidence over 600 characters"),
    ],
)
def test_what_the_text_does_not_say_is_no_evidence(quoted: str, reason: str) -> None:
    with pytest.raises(NotTaken) as failure:
        found(TEXT, quoted)
    assert str(failure.value) == reason


TWICE = "Ada Lovelace was famous. She was born in London. Marie Curie was famous too. She was born in London? No."


def test_of_two_places_the_one_nearest_to_the_ends_counts() -> None:
    source, within = SearchedText(TWICE), Span(0, len(TWICE))
    first, second = (span.start for span in source.find("She was born in London"))
    for _ in range(3):
        by_name = [
            find_evidence(source, "She was born in London", within=within, near=[source.find(name)]).start
            for name in ("Ada Lovelace", "Marie Curie", "Nobody")
        ]
        assert by_name == [first, second, first]


def test_ties_go_to_the_first() -> None:
    text = "It won. Acme It won."
    source = SearchedText(text)
    places = [source.find("It won"), []]
    assert find_evidence(source, "It won", within=Span(0, len(text)), near=places).start == 0


def test_evidence_of_another_part_is_not_taken() -> None:
    with pytest.raises(NotTaken, match="not in the text"):
        find_evidence(SearchedText(TWICE), "Ada Lovelace was famous", within=Span(30, len(TWICE)), near=[])


@pytest.mark.parametrize(
    ("text", "quoted", "exact"),
    [
        ("Jose\u0301 won.", "Jos\u00e9 won", "Jose\u0301 won"),
        ("The ﬁrst prize", "first prize", "ﬁrst prize"),
        ("Ｍａｒｉｅ won", "Marie won", "Ｍａｒｉｅ won"),
        ("a co\u00adoperation began", "cooperation began", "co\u00adoperation began"),
        ("東京は日本にある。", "日本にある", "日本にある"),
        ("Straße in Köln", "STRASSE in köln", "Straße in Köln"),
        ("one\u00a0two", "one two", "one\u00a0two"),
        ("각 서울에서", "서울", "서울"),
    ],
)
def test_scripts_and_forms(text: str, quoted: str, exact: str) -> None:
    assert found(text, quoted) == exact


@given(st.text(alphabet="aAe\u0301\u00ad\u200dßﬁ \n\u201c\u2019-\u2014각ᄀ\u1161é1", max_size=40), st.data())
def test_a_part_of_the_text_is_found_whatever_was_done_to_its_marks(text: str, data: st.DataObject) -> None:
    source = SearchedText(text)
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    for spelled in (text[start:end], unicodedata.normalize("NFKC", text[start:end]).upper()):
        for span in source.find(spelled):
            assert 0 <= span.start < span.end <= len(text)
    assert source.text == text
