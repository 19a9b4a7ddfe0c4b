import os
from pathlib import Path

import pytest

from extraction.source import SourceFailed, SourceSkipped, decode, read_text


def write(path: Path, data: bytes) -> Path:
    path.write_bytes(data)
    return path


@pytest.mark.parametrize(
    ("data", "text", "encoding"),
    [
        (b"", "", "utf-8"),
        (b" " * 1_000_000, " " * 1_000_000, "utf-8"),
        (b"\xef\xbb\xbfx = 1\r\n", "x = 1\r\n", "utf-8-sig"),
        ("é = 1\n".encode("utf-16"), "é = 1\n", "utf-16"),
        ("é = 1\n".encode("utf-16-be").join([b"\xfe\xff", b""]), "é = 1\n", "utf-16"),
        ("é\n".encode("utf-32"), "é\n", "utf-32"),
        ("café".encode(), "café", "utf-8"),
        ("café".encode("latin-1"), "café", "cp1252"),
        (b"caf\xe9 \x81", "café \x81", "latin-1"),
        ("# coding: koi8-r\nх = 1".encode("koi8-r"), "# coding: koi8-r\nх = 1", "koi8-r"),
        ("#!/bin/python\n# -*- coding: cp1251 -*-\nя".encode("cp1251"), None, "cp1251"),
        (b"# coding: no-such-thing\nx = 1", "# coding: no-such-thing\nx = 1", "utf-8"),
        (b"# coding: rot13\nx = 1", "# coding: rot13\nx = 1", "utf-8"),
        (b"# coding: utf-7\n'+2AA-'", "# coding: utf-7\n'+2AA-'", "utf-8"),
        (b"# coding: utf-8\n'\xe9'", "# coding: utf-8\n'é'", "cp1252"),
        (b"a\rb\r\nc\n", "a\rb\r\nc\n", "utf-8"),
    ],
)
def test_text_is_decoded_as_its_file_says(tmp_path: Path, data: bytes, text: str | None, encoding: str) -> None:
    source = read_text(write(tmp_path / "x.py", data))

    assert source.encoding == encoding
    assert text is None or source.text == text


def test_a_cookie_counts_only_in_python() -> None:
    data = "# coding: koi8-r\nх".encode("koi8-r")

    assert decode(data, python=True)[1] == "koi8-r"
    assert decode(data)[1] == "cp1252"


def test_twins_that_differ_in_newlines_differ_only_there(tmp_path: Path) -> None:
    lf = read_text(write(tmp_path / "a.py", b"def f():\n    pass\n"))
    crlf = read_text(write(tmp_path / "b.py", b"def f():\r\n    pass\r\n"))

    assert crlf.text.replace("\r\n", "\n") == lf.text
    assert crlf.content_hash != lf.content_hash


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"x = 1\0", "binary"),
        (b"\xff\xfex", "begins as utf-16 but is not"),
        (b"x" * 101, "larger than 0.0001 MB"),
    ],
)
def test_what_is_not_source_text_is_skipped_with_a_reason(tmp_path: Path, data: bytes, reason: str) -> None:
    with pytest.raises(SourceSkipped, match=reason):
        read_text(write(tmp_path / "x.py", data), max_bytes=100)


def test_a_long_line_is_text(tmp_path: Path) -> None:
    assert len(read_text(write(tmp_path / "x.py", b"x" * 4_999_999)).text) == 4_999_999


def test_a_file_that_vanished_fails(tmp_path: Path) -> None:
    with pytest.raises(SourceFailed, match="gone"):
        read_text(tmp_path / "x.py")


def test_a_named_pipe_is_skipped_and_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "x.py")

    with pytest.raises(SourceSkipped, match="not a regular file"):
        read_text(tmp_path / "x.py")


def test_a_folder_is_skipped(tmp_path: Path) -> None:
    with pytest.raises(SourceSkipped, match="not a regular file"):
        read_text(tmp_path)
