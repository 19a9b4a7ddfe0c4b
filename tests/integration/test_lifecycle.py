"""A folder through edits, renames and deletions: after each step the graph is that of a fresh build."""

import shutil
import threading
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from extraction.pipeline import IndexOptions, index_folder
from extraction.report import IndexProgress, IndexReport, Stage
from graph.database import Database
from graph.errors import Conflict, InvalidInput
from graph.fingerprint import get_graph_hash
from graph.stats import get_stats
from tests.raw import Cypher

ONE_WORKER = IndexOptions(workers=1)


async def index(database: Database, root: Path, **options: object) -> IndexReport:
    return await index_folder(database, root, options=IndexOptions(workers=1, **options))


def write(root: Path, files: dict[str, str]) -> None:
    shutil.rmtree(root, ignore_errors=True)
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    root.mkdir(exist_ok=True)


async def rebuilt(database: Database, cypher: Cypher, root: Path) -> tuple[str, int]:
    """The hash and the unresolved uses of a fresh build of the same folder."""
    await cypher.clear()
    await index(database, root)
    return await get_graph_hash(database), (await get_stats(database)).unresolved


async def test_edits_renames_and_deletions_equal_a_fresh_build(
    database: Database, cypher: Cypher, tmp_path: Path
) -> None:
    root = tmp_path / "project"
    both = "def f():\n    return 1\n\n\ndef g():\n    return f()\n"
    caller = "from x import f\n\n\ndef use():\n    return f()\n"
    steps = [
        {"x.py": both, "y.py": caller},
        {"x.py": both, "y.py": caller},
        {"x.py": both.split("\n\n\ndef g", maxsplit=1)[0] + "\n", "y.py": caller},
        {"z.py": both.split("\n\n\ndef g", maxsplit=1)[0] + "\n", "y.py": caller},
        {"y.py": caller},
        {},
    ]
    incremental: list[str] = []
    for files in steps:
        write(root, files)
        report = await index(database, root)
        incremental.append(await get_graph_hash(database))
        if files is steps[1]:
            assert (report.files_indexed, report.files_unchanged) == (0, 2)

    assert await cypher("MATCH (n:Node) RETURN n.node_id") == []
    for files, seen in zip(steps, incremental, strict=True):
        write(root, files)
        assert (await rebuilt(database, cypher, root))[0] == seen, files


async def test_unchanged_content_writes_nothing(
    database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = tmp_path / "project"
    write(root, {"x.py": "def f(): pass\n", "y.py": "import os, x\nx.f()\n"})
    await index(database, root)
    writes = 0
    write_really = Database.write

    async def count(self, work):
        nonlocal writes
        writes += 1
        return await write_really(self, work)

    monkeypatch.setattr(Database, "write", count)
    report = await index(database, root)

    assert (report.files_indexed, report.files_unchanged, report.files_removed) == (0, 2, 0)
    assert (report.nodes, report.edges) == (4, 4)
    assert writes == 0
    (root / "x.py").write_text("def f(): return 1\n")
    await index(database, root)
    assert writes > 0


async def test_a_caller_is_written_again_when_only_its_target_moved(
    database: Database, cypher: Cypher, tmp_path: Path
) -> None:
    root = tmp_path / "project"
    caller = "from x import *\n\n\ndef use():\n    return f()\n"
    write(root, {"x.py": "def f(): pass\n", "y.py": caller})
    await index(database, root)

    write(root, {"x.py": "from w import f\n", "w.py": "def f(): pass\n", "y.py": caller})
    report = await index(database, root)

    assert report.files_indexed == 3
    calls = await cypher("MATCH (s:Node)-[:CALLS]->(t:Node) RETURN s.node_id AS s, t.node_id AS t")
    assert calls == [{"s": "y.py::use", "t": "w.py::f"}]


async def test_a_line_above_writes_one_file_only(database: Database, tmp_path: Path) -> None:
    root = tmp_path / "project"
    write(root, {"x.py": "def f(): pass\n", "y.py": "from x import f\nf()\n"})
    await index(database, root)

    (root / "x.py").write_text("# moved down\n\n\ndef f(): pass\n")
    report = await index(database, root)

    assert (report.files_indexed, report.files_unchanged) == (1, 1)


async def test_cancelling_keeps_whole_documents_and_the_next_run_goes_on(
    database: Database, cypher: Cypher, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = tmp_path / "project"
    write(root, {f"m{number:02}.py": f"def f{number}(): pass\n" for number in range(30)})
    monkeypatch.setattr("extraction.batches.ROWS_PER_BATCH", 20)
    cancel = threading.Event()

    def stop_in_the_middle(progress: IndexProgress) -> None:
        if progress.stage is Stage.WRITE and progress.done >= 10:
            cancel.set()

    report = await index_folder(database, root, options=ONE_WORKER, on_progress=stop_in_the_middle, cancel=cancel)

    assert report.cancelled
    assert 0 < report.files_indexed < 30
    stats = await get_stats(database)
    assert stats.documents == report.files_indexed
    assert stats.nodes == 2 * stats.documents
    assert (report.nodes, report.edges, report.mentions) == (stats.nodes, stats.edges, stats.mentions)

    again = await index(database, root)
    assert (again.files_indexed, again.files_unchanged) == (30 - report.files_indexed, report.files_indexed)
    resumed = await get_graph_hash(database)
    assert (await rebuilt(database, cypher, root))[0] == resumed


async def test_files_end_as_done_skipped_or_failed_and_are_told(database: Database, tmp_path: Path) -> None:
    root = tmp_path / "project"
    write(root, {"good.py": "x = 1\n", "empty.py": "", "blank.py": " " * 1_000_000, "broken.py": "def (:\n  ]\n"})
    (root / "binary.py").write_bytes(b"\0\1\2" * 100)
    (root / "utf16.py").write_bytes("def f(): pass\n".encode("utf-16"))
    (root / "latin.py").write_bytes("# -*- coding: latin-1 -*-\nname = 'caf\xe9'\n".encode("latin-1"))

    report = await index(database, root)

    assert {outcome.path for outcome in report.skipped} == {"binary.py"}
    assert report.failed == ()
    assert report.files_indexed == 6
    again = await index(database, root)
    assert (again.files_unchanged, again.skipped) == (6, report.skipped)


async def test_line_ends_make_no_difference_to_nodes_and_lines(
    database: Database, cypher: Cypher, tmp_path: Path
) -> None:
    text = 'class A:\n    """Doc."""\n\n    def f(self):\n        return self.f()\n'
    query = "MATCH (n:Node) RETURN n.node_id AS id, n.line_start AS a, n.line_end AS b, n.description AS d ORDER BY id"
    root = tmp_path / "project"
    write(root, {"a.py": text})
    await index(database, root)
    with_lf = await cypher(query)

    (root / "a.py").write_bytes(text.replace("\n", "\r\n").encode())
    await index(database, root)

    assert await cypher(query) == with_lf


async def test_two_folders_share_a_tenant_without_touching_each_other(
    database: Database, cypher: Cypher, tmp_path: Path
) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    write(first, {"a.py": "import os\n"})
    write(second, {"b.py": "import os\n"})
    await index(database, first)
    await index(database, second)

    write(second, {})
    await index(database, second)

    rows = await cypher("MATCH (n:Node) RETURN n.node_id AS id ORDER BY id")
    assert [row["id"] for row in rows] == ["a.py", "pkg:os"]


async def test_a_second_folder_with_the_same_paths_is_refused_or_prefixed(
    database: Database, cypher: Cypher, tmp_path: Path
) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    write(first, {"a.py": "def f(): pass\n"})
    write(second, {"a.py": "def g(): pass\n", "b.py": "from a import g\ng()\n"})
    await index(database, first)

    with pytest.raises(Conflict, match="--prefix"):
        await index(database, second)
    await index(database, second, prefix="two")

    rows = await cypher("MATCH (n:Node:Function) RETURN n.node_id AS id ORDER BY id")
    assert [row["id"] for row in rows] == ["a.py::f", "two/a.py::g"]
    calls = await cypher("MATCH (s:Node)-[:CALLS]->(t:Node) RETURN s.node_id AS s, t.node_id AS t")
    assert calls == [{"s": "two/b.py", "t": "two/a.py::g"}]


async def test_a_folder_that_has_moved_on_disk_is_taken_over(database: Database, tmp_path: Path) -> None:
    write(tmp_path / "old", {"a.py": "def f(): pass\n"})
    await index(database, tmp_path / "old")
    (tmp_path / "old").rename(tmp_path / "new")

    report = await index(database, tmp_path / "new")

    assert (report.files_indexed, report.files_unchanged) == (0, 1)


async def test_a_part_of_an_indexed_folder_is_refused(database: Database, tmp_path: Path) -> None:
    write(tmp_path / "all", {"part/a.py": "def f(): pass\n"})
    await index(database, tmp_path / "all")

    with pytest.raises(Conflict, match=r"index .* again"):
        await index(database, tmp_path / "all" / "part")


@pytest.mark.parametrize("prefix", ["..", "a/../b", "a\nb", "a\\b"])
async def test_a_prefix_stays_a_plain_name(database: Database, tmp_path: Path, prefix: str) -> None:
    with pytest.raises(InvalidInput, match="prefix"):
        await index(database, tmp_path, prefix=prefix)


MODULES = ("a", "b", "pkg/__init__", "pkg/c")
DOTTED = ("a", "b", "pkg", "pkg.c")
statements = st.one_of(
    st.sampled_from([f"from {module} import {name}" for module in DOTTED for name in ("f", "g", "K", "*")]),
    st.sampled_from(
        [f"import {module}" for module in DOTTED] + ["import os", "from os import path", "from . import c"]
    ),
    st.sampled_from(
        [
            "def f():\n    return g()",
            "def g(x: K):\n    return x.m()",
            "class K:\n    def m(self):\n        return self.n()\n\n    def n(self):\n        return f()",
            "class K(Base):\n    def m(self):\n        return os.getcwd()",
            "class Base:\n    def n(self): ...",
            "f()",
            "a.f(); pkg.c.g(1)",
            "K().m()",
            "@f\ndef h(): ...",
            "def f(): ...",
            "__all__ = ['f', 'K']",
            "try:\n    from a import f\nexcept ImportError:\n    f = None",
        ]
    ),
)
sources = st.lists(statements, max_size=6).map(lambda lines: "\n\n".join(lines) + "\n")
folders = st.dictionaries(st.sampled_from(MODULES), sources, max_size=4)


@settings(
    max_examples=12,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(versions=st.lists(folders, min_size=2, max_size=4))
async def test_incremental_equals_rebuild(
    connected: Database, cypher: Cypher, tmp_path: Path, versions: list[dict[str, str]]
) -> None:
    root = tmp_path / "project"
    await cypher.clear()
    for version in versions:
        write(root, {f"{name}.py": text for name, text in version.items()})
        await index(connected, root)
    incremental = await get_graph_hash(connected), (await get_stats(connected)).unresolved

    assert await rebuilt(connected, cypher, root) == incremental
