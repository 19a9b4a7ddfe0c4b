"""Finding a folder's source files and reading them as text, whatever they turn out to be."""

import codecs
import hashlib
import io
import os
import stat
import tokenize
from dataclasses import dataclass
from pathlib import Path

from graph.errors import CogniverseError

MAX_BYTES = 5_000_000
"""Larger files are skipped: generated code or data, as a rule."""

_BINARY_PROBE_BYTES = 8_000  # Source: git's own test (xdiff-interface.c, FIRST_FEW_BYTES)
_PYTHON_SUFFIXES = frozenset({".py", ".pyi", ".pyw"})
_BOMS = (  # UTF-32 first: its little-endian mark begins with that of UTF-16
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


class SourceSkipped(CogniverseError):
    """A file that is not source text; the message is the reason."""


class SourceFailed(CogniverseError):
    """A file that could not be read; the message is the reason."""


@dataclass(frozen=True, slots=True)
class SourceText:
    """A file's text, no byte order mark, newlines kept; `content_hash` is the hex sha256 of its bytes."""

    text: str
    content_hash: str
    encoding: str


def read_text(path: Path, *, max_bytes: int = MAX_BYTES) -> SourceText:
    """Read and decode a file. Raises SourceSkipped or SourceFailed for all trouble with it."""
    data = read_bytes(path, max_bytes=max_bytes)
    text, encoding = decode(data, python=path.suffix.lower() in _PYTHON_SUFFIXES)
    return SourceText(text=text, content_hash=hashlib.sha256(data).hexdigest(), encoding=encoding)


def read_bytes(path: Path, *, max_bytes: int = MAX_BYTES, text: bool = True) -> bytes:
    """Read a file of at most `max_bytes` bytes, undecoded; with `text` it must not be binary.

    Raises SourceSkipped or SourceFailed.
    """
    try:
        # Without O_NONBLOCK the opening of a named pipe would wait for a writer.
        with open(path, "rb", opener=lambda name, flags: os.open(name, flags | os.O_NONBLOCK)) as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise SourceSkipped("not a regular file")
            data = file.read(max_bytes + 1)
    except IsADirectoryError as exc:
        raise SourceSkipped("not a regular file") from exc
    except (OSError, ValueError) as exc:
        raise SourceFailed(describe_trouble(exc)) from exc
    if len(data) > max_bytes:
        raise SourceSkipped(describe_limit(max_bytes))
    if text and _decode_marked(data) is None and b"\0" in data[:_BINARY_PROBE_BYTES]:
        raise SourceSkipped("binary")
    return data


def decode(data: bytes, *, python: bool = False) -> tuple[str, str]:
    """Return a file's text and its encoding; with `python` a PEP 263 cookie counts. Raises SourceSkipped.

    Order: byte order mark, cookie, UTF-8, cp1252, latin-1 (which takes every byte).
    """
    marked = _decode_marked(data)
    if marked is not None:
        return marked
    for encoding in (*_find_cookie(data, python=python), "utf-8", "cp1252"):
        try:
            text = data.decode(encoding)
            if encoding not in {"utf-8", "cp1252"}:
                text.encode()  # utf-7 and the like can bring half a surrogate pair, which no database takes
        except (LookupError, ValueError):  # ValueError: UnicodeError, and what odd codecs raise
            continue
        return text, encoding
    return data.decode("latin-1"), "latin-1"


def describe_trouble(exc: Exception) -> str:
    """Return in a few words why a file or folder could not be read."""
    match exc:
        case PermissionError():
            return "no permission to read it"
        case FileNotFoundError():
            return "gone while being read"
        case OSError(strerror=str(reason)):
            return reason.lower()
        case _:
            return str(exc)


def describe_limit(max_bytes: int) -> str:
    """Return the reason for which too large a file is skipped."""
    return f"larger than {max_bytes / 1_000_000:g} MB"


def _decode_marked(data: bytes) -> tuple[str, str] | None:
    """Return text and encoding by the byte order mark, None when there is none. Raises SourceSkipped."""
    for bom, encoding in _BOMS:
        if data.startswith(bom):
            try:
                return data.decode(encoding), encoding
            except UnicodeDecodeError as exc:
                raise SourceSkipped(f"begins as {encoding} but is not") from exc
    return None


def _find_cookie(data: bytes, *, python: bool) -> tuple[str, ...]:
    if not python or b"coding" not in data[:1000]:
        return ()
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
    except SyntaxError:  # an unknown encoding, or bytes that are not of it: the fallbacks do better than giving up
        return ()
    return (encoding,)
