"""Bytes as text, whatever their encoding."""

import unicodedata
from typing import Final

from extraction.documents.formats import is_binary_text
from extraction.source import SourceSkipped, decode

_BOMS: Final = (b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff", b"\x00\x00\xfe\xff")
_SAMPLE_BYTES: Final = 32_000
_NULS_AT_LEAST: Final = 0.1
_ASCII_AT_MOST: Final = 0.85
_LETTERS_AT_LEAST: Final = 6
_LEGIBLE_AT_LEAST: Final = 0.98
_WIDE_FROM_BYTES: Final = 32  # any few bytes are some Chinese word in UTF-16
_WHOLE_FOR_TORN: Final = 20
_CENTRAL: Final = frozenset({"cp1250", "iso8859_2"})


def decode_document(data: bytes) -> str:
    r"""The text of a file, newlines as `\n`, no byte order mark. Raises SourceSkipped for an empty or binary one.

    Order: byte order mark, UTF-16 without one, UTF-8, what charset-normalizer is sure of, cp1252, latin-1.
    """
    text = _decode_marked(data) or _decode_unmarked(data)
    if "\0" in text or is_binary_text(text):
        raise SourceSkipped("binary")
    if not text.strip():
        raise SourceSkipped("empty")
    return unify_newlines(text)


def unify_newlines(text: str) -> str:
    r"""The same text with `\n` for every line end."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _decode_marked(data: bytes) -> str | None:
    return decode(data)[0] if data.startswith(_BOMS) else None


def _decode_unmarked(data: bytes) -> str:
    wide = _decode_utf16(data)
    if wide is not None:
        return wide
    try:
        return data.decode()
    except UnicodeDecodeError as exc:
        # Even, so that UTF-16 isn't taken apart.
        sample = data[max(0, exc.start - _SAMPLE_BYTES // 2) // 2 * 2 :][:_SAMPLE_BYTES]
        return _decode_damaged(data) or _decode_guessed(data, sample) or decode(data)[0]


def _decode_damaged(data: bytes) -> str | None:
    """UTF-8 with a torn character here and there; no other encoding happens to look like it so often."""
    text = data.decode("utf-8", "replace")
    torn, whole = text.count("\ufffd"), len(text) - len(text.encode("ascii", "ignore"))
    return text if whole - torn > torn * _WHOLE_FOR_TORN else None


def _decode_utf16(data: bytes) -> str | None:
    """What has so many NULs at every second place that it is UTF-16 with Latin letters in it."""
    half = len(data) // 2
    if b"\0" not in data or len(data) % 2:
        return None
    even, odd = data[::2].count(0), data[1::2].count(0)
    few, many = sorted((even, odd))
    if many < half * _NULS_AT_LEAST or few * 8 > many:
        return None
    return _try_codec(data, "utf-16-le" if odd > even else "utf-16-be")


def _decode_guessed(data: bytes, sample: bytes) -> str | None:
    from charset_normalizer import from_bytes

    found = from_bytes(sample)
    best = found.best()
    text = None if best is None else _try_codec(data, best.encoding)
    if best is None or text is None:
        return None
    if best.encoding.startswith("utf_16"):
        return text if len(data) >= _WIDE_FROM_BYTES and _share_of_ascii(sample) < _ASCII_AT_MOST else None
    if best.encoding in _CENTRAL:  # West European text fits both, and then its own encoding is among the others
        others = {match.encoding for match in found}.union(best.could_be_from_charset)
        return text if best.coherence > 0 and "cp1252" not in others else None
    return text if _is_foreign_script(text) else None


def _try_codec(data: bytes, encoding: str) -> str | None:
    try:
        text = data.decode(encoding)
        text.encode()
    except (LookupError, ValueError):
        return None
    probe = text[:_SAMPLE_BYTES]
    legible = sum(unicodedata.category(char) not in {"Cn", "Co", "Cs"} for char in probe)
    return text if "\0" not in text and legible >= len(probe) * _LEGIBLE_AT_LEAST else None


def _share_of_ascii(sample: bytes) -> float:
    return sum(0x20 <= byte < 0x7F for byte in sample) / len(sample)


def _is_foreign_script(text: str) -> bool:
    """Whether most letters beyond ASCII, and not only a handful, are of no Latin alphabet."""
    letters = [char for char in text[:_SAMPLE_BYTES] if char > "\x7f" and char.isalpha()]
    foreign = sum(not unicodedata.name(char, "LATIN").startswith("LATIN") for char in letters)
    return foreign >= _LETTERS_AT_LEAST and foreign * 2 > len(letters)
