"""Names and contents of single files: which can be taken, and as what."""

import pytest

from extraction.given import FileInput, clean_name, read_given
from graph.errors import InvalidInput, UnsupportedFormat


@pytest.mark.parametrize("name", ["a.py", "a b.md", "x/y/z.txt", "😀/👨‍👩‍👧.md", "...", "a..b", "naïve.md", ".env"])
def test_good_names_stay_as_they_are(name: str) -> None:
    assert clean_name(name) == name
    assert clean_name(f"./{name}") == name


@pytest.mark.parametrize(
    "name",
    ["", " ", ".", "..", "../a", "a/../b", "a/./b", "/a", "a//b", "a/", "C:/a", "c:", "a\\b", "a\nb", "a\0", "a\u2028b",
     "\ud800", "x" * 501, "a/ ../b", "a/ /b"],
)  # fmt: skip
def test_bad_names_are_refused(name: str) -> None:
    with pytest.raises(InvalidInput):
        clean_name(name)


@pytest.mark.parametrize("text", ["RIFF is a format.", "ID3 tags", "BZhang", "GIF8", "PK and so on", "%PDF", "ftyp"])
def test_words_that_look_like_signatures_are_text(text: str) -> None:
    assert read_given(FileInput("a.md", text.encode())).text == text


@pytest.mark.parametrize(
    "data",
    [
        b"RIFF\1\2\3\4WAVEfmt",
        b"\0\0\0\x18ftypmp42",
        b"GIF89a",
        b"\x1f\x8b\x08",
        b"PK\x03\x04",
        b"\x7fELF",
        b"BZh91AY&SY",
    ],
)
def test_other_formats_are_named(data: bytes) -> None:
    with pytest.raises(UnsupportedFormat, match=r"^a\.md is an? "):
        read_given(FileInput("a.md", data))


@pytest.mark.parametrize(
    ("data", "text"),
    [
        ("\ufeffabc".encode(), "abc"),
        ("abc".encode("utf-16"), "abc"),
        ("caf\xe9".encode("latin-1"), "café"),
        (b"a\r\nb", "a\nb"),
        (b"", ""),
    ],
)
def test_texts_are_decoded(data: bytes, text: str) -> None:
    assert read_given(FileInput("a.md", data)).text == text


def test_what_a_file_is_taken_for() -> None:
    assert read_given(FileInput("a.py", b"")).language == "python"
    assert read_given(FileInput("a.PY", b"", "code")).language == "python"
    assert read_given(FileInput("a.py", b"", "docs")).language is None
    assert read_given(FileInput("README", b"")).language is None
    assert (
        read_given(FileInput("a.md", b"", source_doc_id="https://x.org/?a=1 b")).document_id == "https://x.org/?a=1 b"
    )
    for bad in ("", "a\nb", "x" * 501):
        with pytest.raises(InvalidInput, match="document id"):
            read_given(FileInput("a.md", b"", source_doc_id=bad))
