"""Files of all kinds as texts, and what can't be read as a reason."""

import codecs
import random
import time

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from extraction.documents.reading import document_suffixes, find_format, format_name
from extraction.documents.text import DocumentText, Mark
from extraction.source import SourceFailed, SourceSkipped
from graph.errors import UnsupportedFormat
from tests.unit.extraction.documents.made import make_book, make_pdf, make_slides, make_word, make_workbook, read

NOTE = "# Radium\n\nMarie Curie, née Skłodowska, discovered 镭.\n"


def test_formats_by_name() -> None:
    assert {".md", ".rst", ".txt", ".html", ".pdf", ".docx", ".pptx", ".xlsx", ".epub", ".csv", ".json", ".ipynb"} < (
        document_suffixes()
    )
    assert find_format("x/A.Final.MD") == "markdown"
    assert find_format("😀 a b.PDF") == "pdf"
    assert [find_format(name) for name in ("README", ".pdf", "a.log", "a.py", "pdf", "")] == [None] * 6


def test_first_bytes_win_where_they_are_sure() -> None:
    assert format_name("a.txt", make_pdf("x")) == "pdf"
    assert format_name("a.bin", make_book()) == "epub"
    assert format_name("a.txt", make_word()) is None
    assert format_name("a.zip", make_word()) is None
    assert format_name("a.docx", make_word()) == "docx"
    assert format_name("a.docx", b"words") == "docx"
    assert format_name("a.md", b"\x89PNG\r\n\x1a\n") is None
    assert format_name("a.png", b"words") is None
    assert format_name("README", b"words") == "text"


@pytest.mark.parametrize(
    "data",
    [
        NOTE.encode(),
        codecs.BOM_UTF8 + NOTE.encode(),
        NOTE.encode("utf-16"),
        NOTE.encode("utf-16-le"),
        NOTE.encode("utf-16-be"),
        codecs.BOM_UTF16_BE + NOTE.encode("utf-16-be"),
        NOTE.encode("utf-32"),
        NOTE.replace("\n", "\r\n").encode(),
        NOTE.replace("\n", "\r").encode(),
    ],
)
def test_encodings_and_line_ends_make_no_difference(data: bytes) -> None:
    assert read("a.md", data) == DocumentText(NOTE, (Mark(0, heading="Radium"),))


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        ("café", "latin-1"),
        ("naïve résumé à la carte", "latin-1"),
        ("“Größe” – Maß für München und Köln.", "cp1252"),
        ("L'été dernier, ma sœur a étudié à l'université de Genève. " * 20, "cp1252"),
        ("El niño comió piñas en España; mañana irá a Bogotá según él. " * 20, "latin-1"),
        ("Příliš žluťoučký kůň úpěl ďábelské ódy. Praha je hlavní město. " * 20, "cp1250"),
        ("Zażółć gęślą jaźń, to jest polski tekst o Marii Skłodowskiej. " * 20, "cp1250"),
        ("Привет, мир! Это русский текст, он довольно длинный. " * 20, "cp1251"),
        ("Привет, мир! Это русский текст, он довольно длинный. " * 20, "koi8-r"),
        ("Γειά σου Κόσμε, αυτό είναι ένα ελληνικό κείμενο. " * 20, "iso8859-7"),
        ("日本語のテキストです。東京と京都は都市です。" * 20, "shift_jis"),
        ("日本語のテキストです。東京と京都は都市です。" * 20, "euc-jp"),
        ("这是中文文本,北京和上海是城市。" * 20, "gb18030"),
        ("日本語のテキストです。東京と京都は都市です。" * 20, "utf-16-le"),
        ("이것은 한국어 텍스트입니다. 서울은 도시입니다. " * 20, "euc-kr"),
    ],
)
def test_encodings_are_detected(text: str, encoding: str) -> None:
    assert read("a.txt", text.encode(encoding)).text == text


@pytest.mark.parametrize("suffix", sorted(document_suffixes()))
def test_an_empty_file_is_skipped(suffix: str) -> None:
    with pytest.raises(SourceSkipped, match=r"^empty$"):
        read(f"a{suffix}", b"")


@pytest.mark.parametrize("name", ["a.md", "a.txt", "a.rst", "a.html", "a.csv"])
def test_blanks_alone_are_skipped(name: str) -> None:
    with pytest.raises(SourceSkipped, match=r"^empty$"):
        read(name, b" \n" * 500_000)


@pytest.mark.parametrize("name", ["a.md", "a.txt", "a.html", "a.eml", "a.json", "README"])
@pytest.mark.parametrize(
    "data", [b"# A\n\0\0 text", b"Hello wo\0rld, this is text", b"caf\xe9 \0 text", bytes(range(256)) * 9]
)
def test_nul_bytes_are_binary(name: str, data: bytes) -> None:
    with pytest.raises(SourceSkipped, match=r"^binary$"):
        read(name, data)


@pytest.mark.parametrize("name", ["a.md", "a.txt", "a.rst", "a.html"])
@pytest.mark.timeout(60)
def test_a_line_of_five_megabytes(name: str) -> None:
    assert len(read(name, b"word " * 1_000_000).text) >= 4_999_999


@pytest.mark.parametrize("name", ["a b.md", "😀/👨‍👩‍👧 x.md", "über.MD"])
def test_odd_names(name: str) -> None:
    assert read(name, b"text").text == "text"


def test_a_torn_character_does_not_change_the_encoding() -> None:
    assert read("a.txt", NOTE.encode() * 9 + b"\xe9\x95").text == NOTE * 9 + "\ufffd"


def test_texts_are_as_they_stand() -> None:
    for name, text in (("a.csv", "a;b\n1;2\n"), ("a.json", '{"a": "\\ud800"}'), ("a.jsonl", "{}\n{}\n")):
        assert read(name, text.encode()) == DocumentText(text)


def test_other_kinds_are_unsupported() -> None:
    for name, data in (("a.png", b"x"), ("a.zip", make_word()), ("a.md", b"\x7fELF\1"), ("a.doc", b"\xd0\xcf\x11\xe0")):
        with pytest.raises(UnsupportedFormat, match=rf"^{name} is an? .*: give its text instead\.$"):
            read(name, data)


def test_too_long_a_text_is_skipped() -> None:
    with pytest.raises(SourceSkipped, match="too large"):
        read("a.txt", b"x" * 20_000_001)


MADE = {
    ".pdf": make_pdf("One page."),
    ".docx": make_word(),
    ".pptx": make_slides(),
    ".xlsx": make_workbook(),
    ".epub": make_book(),
}


@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.sampled_from(sorted(document_suffixes())), st.binary(min_size=1, max_size=3_000))
def test_any_bytes_end_as_a_text_or_a_reason(suffix: str, data: bytes) -> None:
    ends_well(suffix, data)


@pytest.mark.parametrize("suffix", MADE)
def test_damaged_files_end_as_a_text_or_a_reason(suffix: str) -> None:
    chance = random.Random(5)  # noqa: S311 - the same damage every time
    for _ in range(40):
        data = bytearray(MADE[suffix])
        for _ in range(chance.randint(1, 30)):
            data[chance.randrange(len(data))] = chance.randrange(256)
        ends_well(suffix, bytes(data[: chance.randint(1, len(data))] if chance.random() < 0.3 else data))


def read_or_reason(name: str, data: bytes) -> DocumentText | str:
    try:
        return read(name, data)
    except (SourceSkipped, SourceFailed, UnsupportedFormat) as exc:
        return str(exc)


def ends_well(suffix: str, data: bytes) -> None:
    found = read_or_reason(f"a{suffix}", data)
    if isinstance(found, str):
        assert 0 < len(found) < 250
        return
    assert found.text.strip()
    found.text.encode()
    assert "\0" not in found.text
    assert "\r" not in found.text
    places = [mark.char_offset for mark in found.marks]
    assert places == sorted(set(places))
    assert all(0 <= place < len(found.text) for place in places)


@pytest.mark.timeout(60)
def test_hostile_texts_take_linear_time() -> None:
    start = time.monotonic()
    for text in (
        "#" * 1_000_000,
        "```\n" * 200_000,
        "---\n" * 200_000,
        "<!--\n" * 200_000,
        "> " * 1_000_000,
        "*[a](" * 200_000,
    ):
        for name in ("a.md", "a.rst"):
            read(name, text.encode())
    assert time.monotonic() - start < 40
