"""The header contract of Cypher files."""

from dataclasses import dataclass

import pytest

from graph import statements
from graph.statements import MalformedStatement, Nothing, load_statement, split_script

GOOD = "// Says what it does.\n// params: x\n// returns: y\n// mode: read\nRETURN $x AS y\n"


@dataclass(frozen=True)
class Y:
    y: str


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setattr(statements, "CYPHER_ROOT", tmp_path)
    statements._read.cache_clear()
    yield tmp_path
    statements._read.cache_clear()


def test_a_statement_has_its_header_and_text(folder) -> None:
    (folder / "a.cypher").write_text(GOOD)

    statement = load_statement("a", Y)

    assert (statement.text, statement.header.params, statement.header.mode) == ("RETURN $x AS y", ("x",), "read")
    assert statement.header.summary == "Says what it does."


@pytest.mark.parametrize(
    "text",
    [
        GOOD.replace("// Says what it does.\n", ""),
        GOOD.replace("// params: x\n", ""),
        GOOD.replace("// returns: y\n", ""),
        GOOD.replace("// mode: read\n", ""),
        GOOD.replace("mode: read", "mode: maybe"),
        GOOD.replace("RETURN $x AS y\n", ""),
        GOOD.replace("returns: y", "returns: z"),
    ],
)
def test_a_broken_header_is_refused(folder, text: str) -> None:
    (folder / "a.cypher").write_text(text)

    with pytest.raises(MalformedStatement, match="a"):
        load_statement("a", Y)


def test_rows_must_fit_the_columns(folder) -> None:
    (folder / "a.cypher").write_text(GOOD)

    with pytest.raises(MalformedStatement, match="Nothing"):
        load_statement("a", Nothing)


def test_a_script_is_split_at_semicolons_at_line_ends() -> None:
    assert split_script("// one; two\nA 'x;y';\nB\n  C;\n\n") == ("A 'x;y'", "B\n  C")
