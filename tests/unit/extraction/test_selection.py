"""Globs of a folder: what they choose, and which are refused."""

from pathlib import Path

import pytest

from extraction.scan import scan_folder
from extraction.selection import Selection
from graph.errors import InvalidInput

PYTHON = frozenset({".py"})


def scan(root: Path, **globs: tuple[str, ...]) -> tuple[list[str], dict[str, str]]:
    found = scan_folder(root, suffixes=PYTHON, selection=Selection(**globs))
    return [file.path for file in found.files], {outcome.path: outcome.reason for outcome in found.skipped}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for name in ("a.py", "src/b.py", "src/gen/c.py", "tests/d.py", "tests/keep.py", "notes.md"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("x = 1\n")
    return tmp_path


def test_include_chooses_files_without_naming_the_others(root: Path) -> None:
    assert scan(root, include=("src/**",)) == (["src/b.py", "src/gen/c.py"], {})
    assert scan(root, include=("/*.py", "keep.py"))[0] == ["a.py", "tests/keep.py"]
    assert scan(root, include=("none/**",)) == ([], {})


def test_exclude_leaves_out_and_tells(root: Path) -> None:
    files, skipped = scan(root, exclude=("tests/", "c.py"))

    assert files == ["a.py", "src/b.py"]
    assert skipped == {"tests/": "left out by `exclude`", "src/gen/c.py": "left out by `exclude`"}


def test_exclude_wins_over_include_and_a_later_glob_over_an_earlier(root: Path) -> None:
    assert scan(root, include=("src/**",), exclude=("gen/",))[0] == ["src/b.py"]
    assert scan(root, exclude=("tests/*", "!keep.py"))[0] == ["a.py", "src/b.py", "src/gen/c.py", "tests/keep.py"]


def test_ignored_files_are_not_brought_back(root: Path) -> None:
    (root / ".cogniverseignore").write_text("src/\n")

    files, skipped = scan(root, include=("src/**",))

    assert files == []
    assert skipped == {"src/": "ignored by .cogniverseignore"}


@pytest.mark.parametrize("glob", ["", "  ", "#comment", "/", "!", "*a*a*a*a*", "**/a/**/b/**/c/**/d", "x" * 301])
def test_globs_that_say_nothing_or_cost_too_much_are_refused(glob: str) -> None:
    with pytest.raises(InvalidInput, match="glob"):
        Selection(include=(glob,))
    with pytest.raises(InvalidInput, match="exclude"):
        Selection(exclude=("fine", glob))


def test_too_many_globs_are_refused() -> None:
    with pytest.raises(InvalidInput, match="101"):
        Selection(exclude=("a",) * 101)


@pytest.mark.timeout(10)
def test_the_worst_glob_is_quick_enough() -> None:
    selection = Selection(include=("*a*a*b", "**/a/**/a/**/b"))

    assert not any(selection.includes(path) for path in ["a" * 255, "a/" * 100] * 20)
