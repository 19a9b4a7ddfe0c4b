"""Single files into a graph: whatever the order in which they come, the graph is the same."""

import asyncio
import itertools
import threading
from pathlib import Path

import pytest

from extraction.pipeline import IndexOptions, index_folder
from extraction.registry import LANGUAGES
from extraction.single import FileInput, FileReport, IngestCancelled, ingest_file, settle_files
from graph.backends.base import Endpoint
from graph.database import Database, connect
from graph.errors import Conflict, InvalidInput, TooLarge, UnsupportedFormat
from graph.fingerprint import get_graph_hash
from graph.folders import FILES_FOLDER
from graph.model import DocumentId
from graph.store import delete_documents
from tests.raw import Cypher

FILES = {
    "a.py": "from b import g\n\n\ndef f():\n    return g()\n",
    "b.py": "from c import K\n\n\ndef g():\n    return K().m()\n",
    "c.py": "class K:\n    def m(self):\n        return 1\n",
}
CALLS = "MATCH (s:Node)-[:CALLS]->(t:Node) RETURN s.node_id AS s, t.node_id AS t ORDER BY s, t"


async def ingest(database: Database, name: str, text: str | bytes, cache_dir: Path | None = None, **more) -> FileReport:
    data = text.encode() if isinstance(text, str) else text
    return await ingest_file(database, FileInput(name, data, **more), cache_dir=cache_dir)


async def test_files_are_resolved_together_in_any_order(database: Database, cypher: Cypher, tmp_path: Path) -> None:
    hashes: set[str] = set()
    for order in itertools.permutations(FILES):
        await cypher.clear()
        for name in order:
            await ingest(database, name, FILES[name], tmp_path)
        hashes.add(await get_graph_hash(database))
        assert {(row["s"], row["t"]) for row in await cypher(CALLS)} >= {("a.py::f", "b.py::g")}
    assert len(hashes) == 1


async def test_single_files_make_the_same_graph_as_a_folder(database: Database, cypher: Cypher, tmp_path: Path) -> None:
    for name, text in FILES.items():
        await ingest(database, name, text)
    single = await get_graph_hash(database)
    await cypher.clear()
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    await index_folder(database, tmp_path, options=IndexOptions(workers=1))

    assert await get_graph_hash(database) == single


async def test_a_lost_cache_changes_nothing(database: Database, tmp_path: Path) -> None:
    for name, text in FILES.items():
        await ingest(database, name, text, tmp_path / "first")
    with_cache = await get_graph_hash(database)

    report = await ingest(database, "a.py", FILES["a.py"], tmp_path / "second")

    assert report.unchanged
    assert await get_graph_hash(database) == with_cache


async def test_the_same_file_again_writes_nothing(
    database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = await ingest(database, "a.py", FILES["a.py"], tmp_path)
    notes = await ingest(database, "a.md", "One.\n\nTwo.\n", tmp_path)
    assert (first.unchanged, notes.unchanged) == (False, False)

    async def refuse(*_):
        raise AssertionError("nothing is to be written")

    monkeypatch.setattr(Database, "write", refuse)
    again = await ingest(database, "a.py", FILES["a.py"], tmp_path)
    assert again.unchanged
    assert (again.nodes, again.edges, again.mentions, again.segments) == (
        first.nodes,
        first.edges,
        first.mentions,
        first.segments,
    )
    assert (await ingest(database, "a.md", "One.\n\nTwo.\n", tmp_path)).unchanged


async def test_an_edit_takes_back_what_is_gone_and_reaches_other_files(
    database: Database, cypher: Cypher, tmp_path: Path
) -> None:
    for name, text in FILES.items():
        await ingest(database, name, text, tmp_path)
    await ingest(database, "b.py", "def other():\n    return 1\n", tmp_path)
    edited = await get_graph_hash(database)

    assert await cypher("MATCH (n:Node {node_id: 'b.py::g'}) RETURN n.node_id") == []
    await cypher.clear()
    for name, text in (FILES | {"b.py": "def other():\n    return 1\n"}).items():
        await ingest(database, name, text, tmp_path)
    assert await get_graph_hash(database) == edited


async def test_settling_mends_what_a_deletion_left(database: Database, cypher: Cypher, tmp_path: Path) -> None:
    await ingest(database, "a.py", FILES["a.py"], tmp_path)
    without = await get_graph_hash(database)
    await ingest(database, "b.py", FILES["b.py"], tmp_path)
    await delete_documents(database, [DocumentId("b.py")])

    await settle_files(database, cache_dir=tmp_path)

    assert await get_graph_hash(database) == without
    assert [row["t"] for row in await cypher(CALLS)] == ["pkg:b"]


async def test_a_document_may_be_renamed_and_change_its_kind(
    database: Database, cypher: Cypher, tmp_path: Path
) -> None:
    await ingest(database, "old.py", FILES["c.py"], tmp_path, source_doc_id="doc 1")
    await ingest(database, "new.py", FILES["c.py"], tmp_path, source_doc_id="doc 1")
    rows = await cypher("MATCH (n:Node:Class) RETURN n.node_id AS id")
    assert [row["id"] for row in rows] == ["new.py::K"]

    report = await ingest(database, "new.md", "text now", tmp_path, source_doc_id="doc 1")

    assert report.document_id == "doc 1"
    assert await cypher("MATCH (n:Node) RETURN n.node_id") == []
    assert len(await cypher("MATCH (d:Document) RETURN d.path")) == 1


async def test_two_documents_of_one_path_are_refused(database: Database) -> None:
    await ingest(database, "a.py", "x = 1\n", source_doc_id="first")

    with pytest.raises(Conflict, match="first"):
        await ingest(database, "a.py", "x = 2\n", source_doc_id="second")
    await ingest(database, "a.py", "x = 3\n", source_doc_id="first")


async def test_folders_and_single_files_keep_off_each_other(database: Database, tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("def f(): pass\n")
    await index_folder(database, tmp_path, options=IndexOptions(workers=1))
    before = await get_graph_hash(database)

    with pytest.raises(Conflict, match=str(tmp_path)):
        await ingest(database, "a.py", "x = 1\n")
    with pytest.raises(Conflict, match=str(tmp_path)):
        await ingest(database, "a.py", "x = 1\n", source_doc_id="another id")
    assert await get_graph_hash(database) == before

    await ingest(database, "b.py", "def g(): pass\n")
    await ingest(database, "c.py", "def g(): pass\n", source_doc_id="id of c")
    both = await get_graph_hash(database)
    for name in ("b.py", "c.py"):
        (tmp_path / name).write_text("def g(): pass\n")
        with pytest.raises(Conflict, match="already"):
            await index_folder(database, tmp_path, options=IndexOptions(workers=1))
        (tmp_path / name).unlink()
    assert await get_graph_hash(database) == both


async def test_text_becomes_segments_without_entities(database: Database, cypher: Cypher) -> None:
    text = "A title\r\n\r\n" + "A sentence of some words. " * 200 + "\n\nThe end, 東京 and 😀.\n"

    report = await ingest(database, "notes/a.md", text)

    assert (report.status, report.nodes, report.edges) == ("DONE", 0, 0)
    assert [part.part for part in report.degraded] == ["entities"]
    rows = await cypher(
        "MATCH (d:Document {source_doc_id: 'notes/a.md'})-[:HAS_SEGMENT]->(s) "
        "RETURN d.modality AS modality, s.text AS text, s.char_offset AS start ORDER BY s.ordinal"
    )
    assert len(rows) == report.segments > 2
    assert {row["modality"] for row in rows} == {"TEXT"}
    text = text.replace("\r\n", "\n")
    assert all(text[row["start"] : row["start"] + len(row["text"])] == row["text"] for row in rows)
    assert "".join(row["text"] for row in rows) == text


async def test_an_extractor_that_fails_loses_no_content_and_is_tried_again(
    database: Database, cypher: Cypher, monkeypatch: pytest.MonkeyPatch
) -> None:
    await ingest(database, "a.py", FILES["a.py"])
    python = type(LANGUAGES[0])

    def fail(*_):
        raise RecursionError("too deep")

    with monkeypatch.context() as patch:
        patch.setattr(python, "extract_facts", fail)
        report = await ingest(database, "c.py", FILES["c.py"])
    assert report.status == "FAILED"
    assert "RecursionError" in (report.reason or "")
    assert [part.part for part in report.degraded] == ["facts"]
    rows = await cypher(
        "MATCH (:Document {source_doc_id: 'c.py', status: 'FAILED'})-[:HAS_SEGMENT]->(s) RETURN s.text AS t"
    )
    assert "".join(row["t"] for row in rows) == FILES["c.py"]

    with monkeypatch.context() as patch:
        patch.setattr(python, "resolve", fail)
        assert (await ingest(database, "b.py", FILES["b.py"])).status == "FAILED"

    again = await ingest(database, "c.py", FILES["c.py"])
    assert (again.status, again.reason, again.unchanged, again.nodes) == ("DONE", None, False, 3)
    assert (await ingest(database, "b.py", FILES["b.py"])).status == "DONE"


async def test_a_failed_resolution_of_the_given_file_does_not_harm_others(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    await ingest(database, "a.py", FILES["a.py"])
    before = await get_graph_hash(database)
    python = type(LANGUAGES[0])
    really = python.resolve

    def fail_for_b(self, files, config):
        if "b.py" in files:
            raise ValueError("odd")
        return really(self, files, config)

    monkeypatch.setattr(python, "resolve", fail_for_b)
    report = await ingest(database, "b.py", FILES["b.py"])

    assert (report.status, report.segments) == ("FAILED", 1)
    assert await get_graph_hash(database) == before


async def test_unresolved_uses_are_told(database: Database) -> None:
    report = await ingest(database, "u.py", "def f(x):\n    x.go()\n    x.run()\n")

    assert [(drop.what, drop.count) for drop in report.dropped] == [("calls", 2)]
    broken = await ingest(database, "broken.py", "def f(:\n  ]\n")
    assert [part.part for part in broken.degraded] == ["syntax"]


@pytest.mark.parametrize(
    ("name", "data", "error"),
    [
        ("a.pdf", b"%PDF-1.7 ...", UnsupportedFormat),
        ("a.txt", b"%PDF-1.7 ...", UnsupportedFormat),
        ("a.png", b"\x89PNG\r\n\x1a\n", UnsupportedFormat),
        ("bomb.md", b"PK\x03\x04 and so on", UnsupportedFormat),
        ("a.md", b"text\0text", UnsupportedFormat),
        ("a.py", b"\0\1\2" * 100, UnsupportedFormat),
        ("a.md", bytes(range(1, 32)) * 20, UnsupportedFormat),
        ("a.md", b"\xff\xfea", UnsupportedFormat),
        ("a.py", b"#" * 5_000_001, TooLarge),
        ("../a.py", b"", InvalidInput),
        ("/etc/a.py", b"", InvalidInput),
        ("a\\b.py", b"", InvalidInput),
        ("a\0.py", b"", InvalidInput),
        ("", b"", InvalidInput),
        ("x" * 501, b"", InvalidInput),
    ],
)
async def test_what_can_not_be_taken_is_refused_and_nothing_is_written(
    database: Database, cypher: Cypher, name: str, data: bytes, error: type[Exception]
) -> None:
    with pytest.raises(error):
        await ingest(database, name, data)
    assert await cypher("MATCH (d:Document) RETURN d.path") == []


@pytest.mark.parametrize("content_type", ["audio", "video", "image", "no such"])
async def test_types_without_an_extractor_are_refused(database: Database, content_type: str) -> None:
    with pytest.raises(UnsupportedFormat, match=content_type):
        await ingest(database, "a.txt", "text", content_type=content_type)
    with pytest.raises(UnsupportedFormat, match=r"\.py"):
        await ingest(database, "a.txt", "text", content_type="code")
    assert (await ingest(database, "a.py", "text", content_type="docs")).degraded


@pytest.mark.parametrize("text", ["", " " * 1_000_000, "\ufeffx = 1\n", "x" * 3_000_000])
@pytest.mark.parametrize("name", ["a.md", "a b 😀.py"])
async def test_odd_texts_are_taken(database: Database, name: str, text: str) -> None:
    assert (await ingest(database, name, text)).status == "DONE"


async def test_cancelling_before_the_write_leaves_nothing(database: Database, cypher: Cypher) -> None:
    cancel = threading.Event()
    cancel.set()

    with pytest.raises(IngestCancelled):
        await ingest_file(database, FileInput("a.py", b"x = 1\n"), cache_dir=None, cancel=cancel)

    assert await cypher("MATCH (d:Document) RETURN d.path") == []


async def test_concurrent_ingests_end_as_a_clean_build(
    database: Database, endpoint: Endpoint, cypher: Cypher, tmp_path: Path
) -> None:
    """Two connections stand for two processes: nothing is shared between them but the database."""
    count = 12
    texts = {
        f"m{number:02}.py": f"from m{(number + 1) % count:02} import f{(number + 1) % count}\n\n\n"
        f"def f{number}():\n    return f{(number + 1) % count}()\n"
        for number in range(count)
    }
    async with connect(endpoint) as other:
        reports = await asyncio.gather(
            *(
                ingest(database if number % 2 else other, name, text, tmp_path / str(number % 2))
                for number, (name, text) in enumerate(texts.items())
            )
        )
    assert {report.status for report in reports} == {"DONE"}
    concurrent = await get_graph_hash(database)
    assert len(await cypher(CALLS)) == count

    await cypher.clear()
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
    await index_folder(database, tmp_path, options=IndexOptions(workers=1))
    assert await get_graph_hash(database) == concurrent


async def test_two_versions_at_once_leave_one_of_them_whole(database: Database, cypher: Cypher, tmp_path: Path) -> None:
    versions = [f"def f{number}():\n    return {number}\n" for number in range(6)]
    await ingest(database, "user.py", "import a\n\na.f0(); a.f1(); a.f2(); a.f3(); a.f4(); a.f5()\n", tmp_path)

    await asyncio.gather(*(ingest(database, "a.py", text, tmp_path) for text in versions))

    concurrent = await get_graph_hash(database)
    rows = await cypher("MATCH (:Document {source_doc_id: 'a.py'})-[:HAS_SEGMENT]->(s) RETURN s.text AS text")
    assert rows[0]["text"] in versions
    calls = await cypher(CALLS)
    assert {row["t"] for row in calls} == {f"a.py::f{versions.index(rows[0]['text'])}"}
    assert (await ingest(database, "a.py", rows[0]["text"], tmp_path)).unchanged
    assert await get_graph_hash(database) == concurrent
    documents = await cypher("MATCH (d:Document) RETURN DISTINCT d.folder_id AS id")
    assert documents == [{"id": FILES_FOLDER}]
