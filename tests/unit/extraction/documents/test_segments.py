"""Texts into segments: nothing is lost, nothing is too long, places are exact."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extraction.documents.segments import SEGMENT_CHARS, cut_document, cut_text
from extraction.documents.text import DocumentText, Mark
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


# -- documents

marked_pieces = st.lists(st.tuples(pieces, st.sampled_from([None, "page", "heading"])), max_size=60)


def make_marked(parts: list[tuple[str, str | None]]) -> DocumentText:
    marks: dict[int, Mark] = {}
    text, page, heading = "", None, None
    for number, (piece, mark) in enumerate(parts):
        if mark == "page":
            page, heading = (page or 0) + 1, None
        elif mark == "heading":
            heading = f"h{number}"
        if mark:
            marks[len(text)] = Mark(len(text), page, heading)
        text += piece
    return DocumentText(text, tuple(mark for place, mark in marks.items() if place < len(text)))


def cut_read(text: DocumentText) -> tuple[Segment, ...]:
    return cut_document(DocumentId("d"), text, modality=Modality.TEXT)


@given(marked_pieces)
def test_document_segments_cover_all_but_blanks_and_know_their_places(parts: list[tuple[str, str | None]]) -> None:
    document = make_marked(parts)
    text, segments = document.text, cut_read(document)

    end = 0
    for segment in segments:
        assert text[end : segment.char_offset].strip() == ""
        end = segment.char_offset + len(segment.text)
        assert text[segment.char_offset : end] == segment.text
        assert 0 < len(segment.text) <= SEGMENT_CHARS
        assert segment.line_start == text.count("\n", 0, segment.char_offset) + 1
        first = segment.char_offset + len(segment.text) - len(segment.text.lstrip())
        state = [Mark(0), *(mark for mark in document.marks if mark.char_offset <= first)][-1]
        assert (segment.page, segment.heading) == (state.page, state.heading)
        pages = {mark.page for mark in document.marks if segment.char_offset < mark.char_offset < end}
        assert pages <= {segment.page}
        assert segment.label.startswith(f"L{segment.line_start}" if segment.page is None else f"p{segment.page}")
    assert text[end:].strip() == ""
    assert [segment.ordinal for segment in segments] == list(range(len(segments)))
    assert len({segment.label for segment in segments}) == len(segments)


def test_segments_are_named_by_their_pages() -> None:
    pages = ["First page.", "Sentence of a page. " * 150, "Third."]
    places = [0, len(pages[0]) + 2, len(pages[0]) + len(pages[1]) + 4]
    marks = tuple(Mark(place, page) for page, place in enumerate(places, 1))
    segments = cut_read(DocumentText("\n\n".join(pages), marks))

    assert [segment.label for segment in segments] == ["p1", "p2", "p2.2", "p3"]
    assert [segment.page for segment in segments] == [1, 2, 2, 3]


def test_a_segment_ends_before_a_heading_unless_it_is_tiny() -> None:
    part = "A sentence under a heading. " * 25
    document = DocumentText(
        f"Intro.\n\nOne\n\n{part}\n\nTwo\n\n{part}", (Mark(8, heading="One"), Mark(715, heading="Two"))
    )

    assert document.text[715:].startswith("Two")
    assert [(segment.text[:5], segment.heading) for segment in cut_read(document)] == [
        ("Intro", None),
        ("Two\n\n", "Two"),
    ]


@pytest.mark.parametrize(
    "sentence",
    ["Dr. Marie Curie and J. J. Thomson met, e.g. in Paris, for 3.14 hours. ", "東京は日本の首都です。", "Wirklich? "],
)
def test_no_sentence_is_cut(sentence: str) -> None:
    segments = cut_read(DocumentText(sentence * 400))

    assert len(segments) > 1
    assert all(segment.text.startswith(sentence) and segment.text.endswith(sentence) for segment in segments)


def test_a_sentence_that_fits_a_segment_is_not_cut_for_a_short_one_before_it() -> None:
    long = "Word " * 385 + "end. "
    segments = cut_read(DocumentText("A short one. " * 6 + long + long))

    assert [segment.text for segment in segments] == ["A short one. " * 6, long, long]


def test_long_text_without_any_sentence() -> None:
    words = [f"word{number}" for number in range(1_200)]
    names = {10: "Marie Curie", 390: "Pierre Curie", 800: "Lise Meitner", 1_199: "Otto Hahn"}
    text = " ".join(names.get(number, word) for number, word in enumerate(words))
    segments = cut_read(DocumentText(text))

    assert "".join(segment.text for segment in segments) == text
    assert all(segment.text.endswith(" ") for segment in segments[:-1])
    pieces_of_word = cut_read(DocumentText("x" * 5_000))
    assert [len(segment.text) for segment in pieces_of_word] == [2_000, 2_000, 1_000]


@pytest.mark.parametrize(
    "text", ["x" * 3_000_000, ". " * 1_500_000, "a. " + "b " * 1_500_000, "\n" * 3_000_000, "a\n\n" * 800_000]
)
@pytest.mark.timeout(40)
def test_large_documents_are_cut_in_linear_time(text: str) -> None:
    marks = tuple(Mark(place, heading="h") for place in range(0, len(text), 100))

    assert sum(len(segment.text) for segment in cut_read(DocumentText(text, marks))) in (0, len(text))
