"""Imports on a real server: what an export holds comes back, or the tenant stays unusable until it does."""

import asyncio
import json
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from graph.answers import ExportFormat
from graph.database import Database
from graph.errors import Conflict, InvalidInput, LimitExceeded
from graph.exports import write_export
from graph.fingerprint import get_graph_hash
from graph.imports import importing
from graph.imports.importing import ImportSummary, Step, import_file
from graph.imports.mark import begin_import
from graph.imports.reading import check_file
from graph.migrate import prepare_database
from graph.quotas import Quota, set_quota
from graph.store import upsert_documents
from tests.builders import document
from tests.hostile import fill_with_everything
from tests.integration.test_exports import dump
from tests.raw import Cypher

EDGES = 300


async def export(database: Database, file: Path) -> str:
    return (await write_export(database, ExportFormat.JSON, file)).hash


async def load(database: Database, file: Path, **options: Any) -> ImportSummary | None:
    facts = await asyncio.to_thread(check_file, file, file.name)
    return await import_file(database, file, facts, name=file.name, **options)


async def test_what_was_exported_comes_back(database: Database, cypher: Cypher, tmp_path: Path) -> None:
    await fill_with_everything(database, tmp_path)
    file = tmp_path / "graph.jsonl.gz"
    before, graph_hash = await dump(cypher), await export(database, file)
    await cypher.clear()

    summary = await load(database, file)

    assert summary is not None
    assert (summary.hash, summary.resumed_from) == (graph_hash, 0)
    assert await get_graph_hash(database) == graph_hash
    assert await dump(cypher) == before
    await prepare_database(database)
    again = tmp_path / "again.jsonl.gz"
    await export(database, again)
    assert again.read_bytes() == file.read_bytes()


@pytest.fixture
async def file(database: Database, cypher: Cypher, tmp_path: Path) -> Path:
    """An export of a small graph, and an empty database."""
    facts = [(f"Thing {number}", "part_of", "The Whole") for number in range(EDGES)]
    await upsert_documents(database, [document(f"{fact[0]}.txt", fact) for fact in facts])
    await export(database, tmp_path / "graph.jsonl")
    await cypher.clear()
    return tmp_path / "graph.jsonl"


def edit(file: Path, change: Callable[[list[dict[str, Any]]], None]) -> Path:
    """The file as it is after an edit on purpose."""
    lines = [json.loads(line) for line in file.read_text().splitlines()]
    for line in lines:
        line.get("properties", {}).pop("text_bytes", None)
    change(lines)
    counts = lines[-1]["counts"]
    lines[-1]["counts"] = {name: sum(line["record"] == name for line in lines) for name in counts}
    del lines[-1]["sha256"]
    edited = file.with_name("edited.jsonl")
    edited.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    return edited


def forget_last(kind: str) -> Callable[[list[dict[str, Any]]], None]:
    def change(lines: list[dict[str, Any]]) -> None:
        del lines[max(place for place, line in enumerate(lines) if line["record"] == kind)]

    return change


def number_of_first(file: Path, words: str) -> int:
    return next(number for number, line in enumerate(file.read_text().splitlines(), 1) if words in line)


@pytest.mark.parametrize(
    ("forgotten", "words"),
    [
        ("node", '"source": "thing_99"'),
        ("segment", '"segment": "Thing 99.txt#L1"'),
        ("document", '"document": "Thing 99.txt"'),
    ],
)
async def test_a_reference_to_what_is_not_there_is_told_with_its_line(
    database: Database, file: Path, forgotten: str, words: str
) -> None:
    edited = await asyncio.to_thread(edit, file, forget_last(forgotten))

    with pytest.raises(InvalidInput, match="what it refers to") as caught:
        await load(database, edited)

    assert f"edited.jsonl, line {number_of_first(edited, words)}: " in str(caught.value)
    with pytest.raises(Conflict, match=r"import of edited\.jsonl into this tenant is not finished"):
        await prepare_database(database)


async def test_another_graph_than_the_file_says_is_not_used(database: Database, file: Path) -> None:
    def change(lines: list[dict[str, Any]]) -> None:
        next(line for line in lines if line["record"] == "edge")["properties"]["confidence"] = 0.5

    edited = await asyncio.to_thread(edit, file, change)

    with pytest.raises(Conflict, match="it was changed"):
        await load(database, edited)

    with pytest.raises(Conflict, match="not finished"):
        await prepare_database(database)


@pytest.fixture
def small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importing, "BATCH_ROWS", 100)


def stopping_at(count: int) -> dict[str, Any]:
    cancel = threading.Event()

    def note(step: Step, done: int, _total: int) -> None:
        if step is Step.WRITE and done >= count:
            cancel.set()

    return {"cancel": cancel, "on_step": note}


@pytest.mark.usefixtures("small_batches")
async def test_an_import_that_was_stopped_goes_on(database: Database, cypher: Cypher, file: Path) -> None:
    assert await load(database, file, **stopping_at(700)) is None
    with pytest.raises(Conflict, match="not finished"):
        await prepare_database(database)
    [before] = await cypher("MATCH (n:Node) RETURN count(n) AS nodes")

    summary = await load(database, file)

    assert summary is not None
    assert summary.resumed_from == 700
    assert 0 < before["nodes"] < summary.nodes == EDGES + 1
    await prepare_database(database)


@pytest.mark.usefixtures("small_batches")
async def test_another_file_begins_anew(database: Database, cypher: Cypher, file: Path, tmp_path: Path) -> None:
    await upsert_documents(database, [document("other.txt", ("Other", "won", "Nobel Prize"))])
    other = tmp_path / "other.jsonl"
    graph_hash = await export(database, other)
    expected = await dump(cypher)
    await cypher.clear()
    assert await load(database, file, **stopping_at(700)) is None

    summary = await load(database, other)

    assert summary is not None
    assert (summary.hash, summary.resumed_from) == (graph_hash, 0)
    assert await dump(cypher) == expected


@pytest.mark.usefixtures("small_batches")
async def test_a_run_that_was_overtaken_writes_no_more(database: Database, file: Path) -> None:
    facts = await asyncio.to_thread(check_file, file, file.name)
    overtaking: list[asyncio.Task[Any]] = []

    def overtake(step: Step, done: int, _total: int) -> None:
        if step is Step.WRITE and done == 200:
            overtaking.append(asyncio.ensure_future(begin_import(database, file=file.name, sha256=facts.sha256)))

    with pytest.raises(Conflict, match="given up"):
        await import_file(database, file, facts, name=file.name, on_step=overtake)

    mark = await overtaking[0]
    summary = await load(database, file)
    assert summary is not None
    assert summary.resumed_from >= mark.position > 0


async def test_of_two_that_begin_at_once_one_imports(database: Database, file: Path) -> None:
    outcomes = await asyncio.gather(*(load(database, file) for _ in range(2)), return_exceptions=True)

    failed = [one for one in outcomes if isinstance(one, BaseException)]
    assert len(failed) == 1
    assert isinstance(failed[0], Conflict)
    await prepare_database(database)


async def test_a_tenant_with_a_graph_is_left_as_it_is(database: Database, cypher: Cypher, file: Path) -> None:
    await upsert_documents(database, [document("mine.txt", ("Mine", "won", "Nobel Prize"))])
    before = await dump(cypher)

    with pytest.raises(Conflict, match="has a graph already"):
        await load(database, file)

    assert await dump(cypher) == before
    await prepare_database(database)


@pytest.mark.parametrize("quota", [Quota(documents=EDGES - 1), Quota(nodes=EDGES), Quota(bytes=10)])
async def test_a_graph_over_the_limits_is_refused_before_it_is_written(
    database: Database, file: Path, quota: Quota
) -> None:
    await set_quota(database, quota)

    with pytest.raises(LimitExceeded, match="nothing was written"):
        await load(database, file)

    await prepare_database(database)
