"""Paths under the allowed roots, and all others in the same words."""

from pathlib import Path

import pytest

from api.roots import resolve_under_roots
from graph.errors import InvalidInput


@pytest.fixture
def roots(tmp_path: Path) -> tuple[Path, Path]:
    for name in ("one/inner/a.py", "two/b.py", "outside/secret.py"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    (tmp_path / "one" / "out").symlink_to(tmp_path / "outside")
    (tmp_path / "one" / "in").symlink_to(tmp_path / "one" / "inner")
    (tmp_path / "one" / "loop").symlink_to(tmp_path / "one" / "loop")
    (tmp_path / "one-more").mkdir()
    (tmp_path / "linked").symlink_to(tmp_path / "two")
    return tmp_path / "one", tmp_path / "linked"


def test_what_lies_below_a_root_is_found(roots: tuple[Path, Path], tmp_path: Path) -> None:
    for path, expected in [
        (str(roots[0]), "one"),
        (str(roots[0] / "inner"), "one/inner"),
        ("inner/a.py", "one/inner/a.py"),
        ("in/a.py", "one/inner/a.py"),
        ("inner/../inner/a.py", "one/inner/a.py"),
        ("b.py", "two/b.py"),
        (str(tmp_path / "two" / "b.py"), "two/b.py"),
        (".", "one"),
    ]:
        assert resolve_under_roots(path, roots) == tmp_path / expected


def test_everything_else_is_refused_in_the_same_words(roots: tuple[Path, Path], tmp_path: Path) -> None:
    messages: set[str] = set()
    for path in [
        str(tmp_path / "outside" / "secret.py"),
        str(tmp_path / "outside" / "missing.py"),
        str(tmp_path / "one-more"),
        "out/secret.py",
        "out/missing.py",
        "../outside/secret.py",
        "loop",
        "missing.py",
        "/",
        "",
        "a\0b",
        "x" * 5_000,
        "~",
    ]:
        with pytest.raises(InvalidInput) as caught:
            resolve_under_roots(path, roots)
        messages.add(str(caught.value).replace(repr(path[:200]), "PATH"))
    assert len(messages) == 1


def test_without_roots_nothing_is_found(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="COGNIVERSE_ALLOWED_ROOTS"):
        resolve_under_roots(str(tmp_path), ())
