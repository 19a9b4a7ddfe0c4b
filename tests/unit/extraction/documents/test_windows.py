"""Sentences, and windows for models with a limit on words."""

import re
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extraction.documents.sentences import find_sentence_ends
from extraction.documents.windows import split_windows

WORD = re.compile(r"\w+(?:[-_]\w+)*|\S")


def sentences(text: str) -> list[str]:
    places = [0, *find_sentence_ends(text), len(text)]
    return [part for start, end in pairwise(places) if (part := text[start:end].strip())]


@pytest.mark.parametrize(
    "expected",
    [
        ["Marie Curie won.", "She was glad!", "Was she?", "Yes…", "So it is."],
        ["Dr. Curie met Prof. J. J. Thomson, e.g. in Paris.", "They talked."],
        ["It weighs 3.14 g, i.e. little, see Fig. 2 and pp. 3 to 5 for it.", "He said no.", "Then he left."],
        ['He said "Stop."', "(She did.)", "They met in 1995.", "It rained."],
        ["Am 3. Mai 1911 kam sie, z.B. nach Berlin.", "Dann ging sie."],
        ["1. First point of a list.", "2. Second point."],
        ["東京は都市です。", "京都も。", "本当？", "はい！"],
        ["The U.S. Army and Acme Inc. Berlin merged in Jan. 2020 etc. and so on.", "End"],
        ["A heading", "A paragraph"],
    ],
)
def test_sentences(expected: list[str]) -> None:
    glue = "\n\n" if expected[0] == "A heading" else "" if "。" in expected[0] else " "

    assert sentences(glue.join(expected)) == expected


pieces = st.sampled_from(
    ["word ", "well-known ", "A sentence. ", "Dr. X ", "\n\n", "東京。", "x" * 30, ". ", "!?", " "]
)


@given(st.lists(pieces, max_size=200).map("".join), st.integers(2, 30), st.integers(0, 10))
def test_windows_cover_all_words_and_keep_the_limit(text: str, max_words: int, overlap: int) -> None:
    overlap = min(overlap, max_words - 1)
    windows = split_windows(text, max_words=max_words, overlap=overlap)

    assert bool(windows) == bool(text.strip())
    counts = [len(WORD.findall(text[start:end])) for start, end in windows]
    assert all(0 < count <= max_words for count in counts)
    assert [WORD.match(text, start) is not None for start, _ in windows] == [True] * len(windows)
    covered = 0
    for start, end in windows:
        assert not text[covered:start].strip()
        assert end > covered
        covered = end
    assert not text[covered:].strip()
    assert windows == sorted(windows)
    for (_, before), (after, _) in pairwise(windows):
        assert len(WORD.findall(text[after:before])) >= min(overlap, max_words // 2)


def test_a_window_ends_with_a_sentence_and_the_next_begins_with_one() -> None:
    text = "One two three four five. " * 20
    windows = split_windows(text, max_words=20, overlap=3)

    assert all(text[start:end].startswith("One") and text[start:end].endswith("five.") for start, end in windows)
    assert all(second[0] < first[1] for first, second in pairwise(windows))


def test_long_text_without_sentences() -> None:
    words = [f"word{number}" for number in range(1_200)]
    text = " ".join(words)
    windows = split_windows(text, max_words=384, overlap=20)

    assert [len(text[start:end].split()) for start, end in windows] == [384, 384, 384, 108]
    for number in (10, 390, 800, 1_199):
        assert any(words[number] in text[start:end].split() for start, end in windows)


def test_a_single_window_and_none() -> None:
    assert split_windows(" a short text. ", max_words=384, overlap=20) == [(1, 14)]
    assert split_windows(" \n ", max_words=384, overlap=20) == []
    assert split_windows("x" * 5_000, max_words=384, overlap=20) == [(0, 5_000)]
    with pytest.raises(ValueError, match="overlap"):
        split_windows("a", max_words=5, overlap=5)


@pytest.mark.timeout(30)
@pytest.mark.parametrize("text", ["." * 1_000_000, ". " * 200_000, ".'" * 500_000, "\n" * 1_000_000, "a. B" * 100_000])
def test_sentences_are_found_in_linear_time(text: str) -> None:
    assert sum(1 for _ in find_sentence_ends(text)) >= 0
