"""Texts into segments: nothing is lost, nothing is too long, places are exact."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extraction.documents.segments import SEGMENT_CHARS, cut_text
from graph.model import DocumentId, Modality, Segment


def cut(text: str) -> tuple[Segment, ...]:
    return cut_text(DocumentId("d"), text, modality=Modality.TEXT)


pieces = st.sampled_from(
    ["word ", "A sentence. ", "\n", "\n\n", " \n \n", "\r\n\r\n", "e\u0301", "東京。", "x" * 700, "\t", "👨‍👩‍👧", "\f"]
)


@given(st.lists(pieces, max_size=60).map("".join))
def test_segments_cover_all_but_blanks(text: str) -> None:
    segments = cut(text)

    end = 0
    for segment in segments:
        assert text[end : segment.char_offset].strip() == ""
        end = segment.char_offset + len(segment.text)
        assert text[segment.char_offset : end] == segment.text
        assert 0 < len(segment.text) <= SEGMENT_CHARS
        assert segment.line_start == text.count("\n", 0, segment.char_offset) + 1
    assert text[end:].strip() == ""
    assert [segment.ordinal for segment in segments] == list(range(len(segments)))
    assert len({segment.label for segment in segments}) == len(segments)


def test_short_paragraphs_stay_together_and_long_ones_apart() -> None:
    short, long = "A short one.\n\n", "A sentence of a long one. " * 70 + "\n\n"

    assert [segment.text for segment in cut(short * 3)] == [short * 3]
    assert [segment.text for segment in cut(long * 3)] == [long] * 3


@pytest.mark.parametrize("end", ["done. ", "done! ", 'done." ', "完了。"])
def test_a_long_paragraph_is_cut_after_a_sentence(end: str) -> None:
    first, *_ = cut(("word " * 30 + end) * 40)

    assert first.text.endswith(end)


def test_without_sentences_words_stay_whole() -> None:
    assert all(segment.text.endswith("word ") for segment in cut("word " * 1200))


def test_a_mark_stays_with_its_letter() -> None:
    segments = cut("xe\u0301" + "e\u0301" * 3000)

    assert len(segments) > 1
    assert all(segment.text[0] != "\u0301" for segment in segments)


@pytest.mark.parametrize("text", ["x" * 3_000_000, " " * 3_000_000, "\n" * 3_000_000, "a\n" * 1_500_000])
@pytest.mark.timeout(20)
def test_large_texts_are_cut_in_linear_time(text: str) -> None:
    assert sum(len(segment.text) for segment in cut(text)) in (0, len(text))
