import io
import json
from dataclasses import dataclass

import pytest
from rich.text import Text

from api.cli.terminal import Terminal, make_table, printable, to_json


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain [red]x[/]", "plain [red]x[/]"),
        ("\x1b[31mred", r"\x1b[31mred"),
        ("a\nb\tc\0", r"a\nb\tc\x00"),
        ("csi \x9b1m", r"csi \x9b1m"),
        ("right \u202eto left", r"right \u202eto left"),
        ("caf\udce9", r"caf\udce9"),
        ("東京 é 🎉 no\u00a0break", "東京 é 🎉 no\u00a0break"),
        ("👩\u200d💻", "👩\u200d💻"),
    ],
)
def test_data_never_steers_a_terminal(text: str, shown: str) -> None:
    assert printable(text) == shown


def test_json_escapes_what_cannot_be_seen_and_keeps_its_meaning() -> None:
    value = {"name": "\x1b[31m \x9b \u202e 東京 \ud800", "of": (1, None)}

    text = to_json(value)

    assert all(char.isprintable() or char == "\n" or char == "\ud800" for char in text)
    assert json.loads(text) == {"name": value["name"], "of": [1, None]}


def test_json_names_fields_as_the_dataclass_does() -> None:
    @dataclass(frozen=True, slots=True)
    class Place:
        path: str
        line_start: int | None

    assert json.loads(to_json(Place("a.py", None))) == {"path": "a.py", "line_start": None}


def test_a_pipe_gets_whole_lines_without_colour_or_padding(monkeypatch: pytest.MonkeyPatch) -> None:
    out = io.StringIO()
    monkeypatch.setattr("sys.stdout", out)
    long = "x" * 5_000

    Terminal().print(make_table([(Text("a", "bold red"), long), ("bb", "[red]c[/]")]))

    assert out.getvalue() == f"a   {long}\nbb  [red]c[/]\n"


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "utf-8"])
def test_a_terminal_of_any_encoding_is_served(monkeypatch: pytest.MonkeyPatch, encoding: str) -> None:
    raw = io.BytesIO()
    monkeypatch.setattr("sys.stdout", io.TextIOWrapper(raw, encoding=encoding))

    terminal = Terminal()
    terminal.print_json({"name": "東京 é"})
    terminal.out.file.flush()

    assert json.loads(raw.getvalue().decode(encoding)) == {"name": "東京 é"}
    terminal.print("東京 é")
    terminal.out.file.flush()
