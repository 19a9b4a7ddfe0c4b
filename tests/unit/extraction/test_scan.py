import os
import random
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from extraction.scan import Scan, scan_folder
from graph.errors import InvalidInput

PYTHON = frozenset({".py"})


def make(root: Path, *paths: str, text: str = "x = 1\n") -> None:
    for path in paths:
        file = root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)


def found(scan: Scan) -> list[str]:
    return [file.path for file in scan.files]


def reasons(scan: Scan) -> dict[str, str]:
    return {outcome.path: outcome.reason for outcome in scan.skipped}


def test_files_come_sorted_with_their_sizes(tmp_path: Path) -> None:
    make(tmp_path, "b.py", "a/z.py", "a b/ü 🎉.py", "a/notes.txt", "c.PY")

    scan = scan_folder(tmp_path, suffixes=PYTHON)

    assert found(scan) == ["a b/ü 🎉.py", "a/z.py", "b.py", "c.PY"]
    assert {file.size for file in scan.files} == {6}
    assert (scan.skipped, scan.failed) == ((), ())


def test_ignore_files_count_at_every_level_and_the_own_one_wins(tmp_path: Path) -> None:
    make(
        tmp_path,
        "gen.py",
        "keep_gen.py",
        "a/gen.py",
        "a/b/x.py",
        "a/b/y.py",
        "out/x.py",
        "vendor/v.py",
        "lib/node_modules/n.py",
    )
    (tmp_path / ".gitignore").write_text("*gen.py\nout/\n")
    (tmp_path / "a" / ".gitignore").write_text("!gen.py\n/b/x.py\n")
    (tmp_path / ".cogniverseignore").write_text("!vendor/\n!keep_gen.py\ny.py\n")

    scan = scan_folder(tmp_path, suffixes=PYTHON)

    assert found(scan) == ["a/gen.py", "keep_gen.py", "vendor/v.py"]
    assert reasons(scan) == {
        "gen.py": "ignored by .gitignore",
        "out/": "ignored by .gitignore",
        "a/b/x.py": "ignored by a/.gitignore",
        "a/b/y.py": "ignored by .cogniverseignore",
        "lib/node_modules/": "installed packages",
    }


def test_rules_above_a_folder_of_a_repository_count(tmp_path: Path) -> None:
    make(tmp_path, "src/a.py", "src/gen.py", "src/local.py", "other/a.py")
    (tmp_path / ".git" / "info").mkdir(parents=True)
    (tmp_path / ".git" / "info" / "exclude").write_text("/src/local.py\n")
    (tmp_path / ".gitignore").write_text("src/gen.py\n/other\n")

    assert found(scan_folder(tmp_path / "src", suffixes=PYTHON)) == ["a.py"]
    assert found(scan_folder(tmp_path / "other", suffixes=PYTHON)) == ["a.py"], "it was asked for by name"


def test_a_build_folder_is_left_out_unless_it_is_a_package(tmp_path: Path) -> None:
    make(
        tmp_path,
        "build/x.py",
        "src/build/__init__.py",
        "src/build/y.py",
        "env/pyvenv.cfg",
        "env/z.py",
        "d.egg-info/q.py",
    )

    scan = scan_folder(tmp_path, suffixes=PYTHON)

    assert found(scan) == ["src/build/__init__.py", "src/build/y.py"]
    assert reasons(scan) == {
        "build/": "build output",
        "env/": "a virtual environment",
        "d.egg-info/": "build output",
    }


def test_links_are_followed_once_and_never_out_of_the_folder(tmp_path: Path) -> None:
    root = tmp_path / "root"
    make(root, "a/real.py", "tool")
    make(tmp_path, "secret.py", "outside/o.py")
    (root / "a" / "loop").symlink_to(root)
    (root / "again.py").symlink_to("a/real.py")
    (root / "away.py").symlink_to("../secret.py")
    (root / "awry").symlink_to(tmp_path / "outside")
    (root / "nothing.py").symlink_to("missing.py")
    (root / "self.py").symlink_to("self.py")
    (root / "tool.py").symlink_to("tool")

    scan = scan_folder(root, suffixes=PYTHON)

    assert found(scan) == ["a/real.py", "tool.py"]
    assert reasons(scan) == {
        "again.py": "a link to a/real.py",
        "away.py": f"a link out of the folder, to {tmp_path}/secret.py",
        "awry/": f"a link out of the folder, to {tmp_path}/outside",
        "nothing.py": "a link to nothing",
        "self.py": "a link that can't be followed",
    }


def test_too_large_and_odd_files_are_skipped(tmp_path: Path) -> None:
    make(tmp_path, "big.py", text="x" * 101)
    os.mkfifo(tmp_path / "pipe.py")
    (tmp_path / "folder.py").mkdir()

    scan = scan_folder(tmp_path, suffixes=PYTHON, max_bytes=100)

    assert found(scan) == []
    assert reasons(scan) == {"big.py": "larger than 0.0001 MB", "pipe.py": "not a regular file"}


def test_names_that_are_not_utf8_are_skipped_and_shown_escaped(tmp_path: Path) -> None:
    make(tmp_path, "new\nline.py", "a;b.py")
    Path(os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9.py")).write_text("")
    Path(os.fsdecode(os.fsencode(tmp_path) + b"/d\xff")).mkdir()

    scan = scan_folder(tmp_path, suffixes=PYTHON)

    assert found(scan) == ["a;b.py", "new\nline.py"]
    assert reasons(scan) == {r"caf\xe9.py": "its name is not UTF-8", r"d\xff/": "its name is not UTF-8"}


def test_a_folder_that_is_none_is_refused_with_what_to_do(tmp_path: Path) -> None:
    make(tmp_path, "a.py")

    with pytest.raises(InvalidInput, match=r"There is no folder .*missing"):
        scan_folder(tmp_path / "missing", suffixes=PYTHON)
    with pytest.raises(InvalidInput, match=r"a\.py is a file. Give the folder"):
        scan_folder(tmp_path / "a.py", suffixes=PYTHON)
    with pytest.raises(InvalidInput, match="can't be read"):
        scan_folder(tmp_path / "a\0b", suffixes=PYTHON)
    with pytest.raises(InvalidInput, match="can't be read"):
        scan_folder(tmp_path / ("a" * 300), suffixes=PYTHON)


UNPRIVILEGED = """
import os, sys
from pathlib import Path
sys.path.insert(0, sys.argv[2])
from extraction.scan import scan_folder
from extraction.source import SourceFailed, read_text
from graph.errors import InvalidInput
if os.geteuid() == 0:
    os.setgroups([]); os.setgid(65534); os.setuid(65534)
root = Path(sys.argv[1])
scan = scan_folder(root, suffixes=frozenset({".py"}))
print([file.path for file in scan.files], [(o.path, o.reason) for o in scan.failed])
try:
    read_text(root / "locked.py")
except SourceFailed as exc:
    print(exc)
try:
    scan_folder(root / "closed", suffixes=frozenset({".py"}))
except InvalidInput as exc:
    print(exc)
"""


def test_without_permission_the_rest_is_found_and_the_trouble_told(tmp_path: Path) -> None:
    root = tmp_path / "root"
    make(root, "a.py", "locked.py", "closed/b.py")
    for folder in (root, *tmp_path.parents[: len(tmp_path.parents) - 2], tmp_path):
        if folder.owner() == Path.home().owner() and folder != Path("/tmp"):  # noqa: S108
            folder.chmod(0o755)
    (root / "locked.py").chmod(0)
    (root / "closed").chmod(0)

    done = subprocess.run(
        [sys.executable, "-c", UNPRIVILEGED, str(root), str(Path(__file__).parents[3])],
        capture_output=True,
        text=True,
        check=False,
    )
    (root / "closed").chmod(0o755)

    assert done.stderr == ""
    assert done.stdout.splitlines() == [
        "['a.py', 'locked.py'] [('closed/', 'no permission to read it')]",
        "no permission to read it",
        f"No permission to read {root}/closed. Run as its owner, or change its permissions.",
    ]


RULES = [
    "a",
    "a/",
    "/a",
    "/a/*",
    "*.py",
    "b*",
    "!a",
    "!a/b",
    "!b.py",
    "a/b",
    "**/b",
    "a/**",
    "!*.py",
    "/*",
    "!/a/",
]
RULES += ["*/", "?", "[ab]", "a/*/b", "a/**/b.py", "!a/**/", "#x", "", "\\!a", "b.py ", "a\\ "]


@pytest.mark.skipif(shutil.which("git") is None, reason="git itself is the measure here")
def test_rules_mean_what_git_means_by_them(tmp_path: Path) -> None:
    dice = random.Random(7)  # noqa: S311
    names = ["a", "b", "c"]
    for case in range(40):
        root = tmp_path / str(case)
        for _ in range(12):
            parts = [dice.choice(names) for _ in range(dice.randint(0, 3))]
            make(root, "/".join([*parts, dice.choice(["a.py", "b.py", "c.py"])]))
        for folder in (root, root / dice.choice(names), root / "a" / "b"):
            if folder.is_dir():
                (folder / ".gitignore").write_text("\n".join(dice.sample(RULES, 4)))
        git = ["git", "-C", str(root), "-c", "core.excludesFile="]
        subprocess.run([*git, "init", "-q"], check=True)
        listed = subprocess.run(
            [*git, "ls-files", "-zo", "--exclude-standard"], check=True, capture_output=True, text=True
        )
        expected = sorted(path for path in listed.stdout.split("\0") if path.endswith(".py"))

        assert found(scan_folder(root, suffixes=PYTHON)) == expected, sorted(
            (str(file.relative_to(root)), file.read_text()) for file in root.rglob(".gitignore")
        )
