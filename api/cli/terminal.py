"""The terminal: text and JSON that are safe to print, tables without borders, two streams."""

import io
import json
import re
import sys
import unicodedata
from collections.abc import Generator, Iterable, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import IO

import msgspec
from rich.console import Console, RenderableType
from rich.table import Table
from rich.text import Text

_PIPE_WIDTH = 100_000
"""Columns when nobody looks: wide enough that nothing is cut or folded."""

_JOINERS = "\u200c\u200d"  # without ink themselves, but part of how words and emoji are spelt
_UNPRINTABLE = re.compile(r"[\x7f-\x9f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]")


def printable(text: str) -> str:
    """Return text that can't steer a terminal: control and undecodable characters are backslash escapes."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(char if _is_printable(char) else _escape(char) for char in text)


def _is_printable(char: str) -> bool:
    return char.isprintable() or char in _JOINERS or unicodedata.category(char) == "Zs"


def _escape(char: str) -> str:
    return char.encode("unicode_escape").decode("ascii")


def to_json(value: object, *, ascii_only: bool = False) -> str:
    """Return a value as indented JSON, fields named as in its dataclass, invisible characters escaped."""
    plain = json.dumps(msgspec.to_builtins(value), ensure_ascii=ascii_only, indent=2)
    return _UNPRINTABLE.sub(lambda match: f"\\u{ord(match[0]):04x}", plain)


_quiet: ContextVar[bool] = ContextVar("quiet", default=False)


@contextmanager
def quieted(quiet: bool) -> Generator[None]:
    """With `quiet`, notes and progress are left out: standard error is for a program's eyes."""
    token = _quiet.set(quiet)
    try:
        yield
    finally:
        _quiet.reset(token)


def is_quiet() -> bool:
    """Tell whether only answers and errors are wanted."""
    return _quiet.get()


class Terminal:
    """Answers go to standard output, everything else to standard error. Data is never read as markup."""

    def __init__(self) -> None:
        for stream in (sys.stdout, sys.stderr):
            _forgive(stream)
        self.out = _make_console(sys.stdout)
        self.err = _make_console(sys.stderr)

    def print(self, *renderables: RenderableType) -> None:
        """Print to standard output; through a pipe no line is folded, cut or padded."""
        for renderable in renderables:
            _print(self.out, renderable)

    def print_json(self, value: object) -> None:
        """Print a value as JSON on standard output."""
        _write_json(sys.stdout, value)

    def note(self, *renderables: RenderableType) -> None:
        """Print to standard error, unless quiet is asked for."""
        if is_quiet():
            return
        for renderable in renderables:
            _print(self.err, renderable)

    def note_json(self, value: object) -> None:
        """Print a value as JSON on standard error."""
        _write_json(sys.stderr, value)


def make_table(rows: Iterable[Sequence[Text | str]], *, header: Sequence[str] = (), right: Sequence[int] = ()) -> Table:
    """Lay rows out in columns, those numbered in `right` flush right. Strings are made printable."""
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), show_header=bool(header), header_style="dim")
    body = [[cell if isinstance(cell, Text) else Text(printable(cell)) for cell in row] for row in rows]
    width = max((len(header), *(len(row) for row in body)))
    for place in range(width):
        table.add_column(
            Text(header[place]) if header else "",
            justify="right" if place in right else "left",
            overflow="fold",
        )
    for row in body:
        table.add_row(*row)
    return table


def _make_console(stream: IO[str]) -> Console:
    console = Console(file=stream, markup=False, highlight=False, emoji=False)
    if not console.is_terminal:
        console = Console(file=stream, markup=False, highlight=False, emoji=False, width=_PIPE_WIDTH)
    return console


def _print(console: Console, renderable: RenderableType) -> None:
    if console.is_terminal:
        console.print(renderable)
        return
    with console.capture() as capture:
        console.print(renderable)
    console.file.write("".join(f"{line.rstrip()}\n" for line in capture.get().splitlines()))


def _write_json(stream: IO[str], value: object) -> None:
    # What an encoding can't say must be a JSON escape, which Python's own would not be.
    ascii_only = not str(getattr(stream, "encoding", None) or "utf-8").lower().startswith("utf")
    stream.write(to_json(value, ascii_only=ascii_only) + "\n")


def _forgive(stream: IO[str]) -> None:
    """Let a terminal without UTF-8 show escapes where it would have raised."""
    if isinstance(stream, io.TextIOWrapper):
        stream.reconfigure(errors="backslashreplace")
