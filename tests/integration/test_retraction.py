"""Deleting one document, with the counts of what really went."""

from pathlib import Path

import pytest

from extraction.pipeline import IndexOptions, index_folder
from graph.assertions import EdgeAssertion, NodeAssertion, upsert_graph
from graph.database import Database
from graph.errors import NotFound
from graph.fingerprint import get_graph_hash
from graph.merges import merge_nodes
from graph.retraction import Retracted, delete_document
from graph.stats import get_stats
from graph.store import upsert_documents
from tests.builders import document

RADIUM = ("Marie Curie", "discovered", "Radium")
BORN = ("Marie Curie", "born_in", "Warsaw")


async def size(database: Database) -> tuple[int, int, int]:
    stats = await get_stats(database)
    return stats.nodes, stats.edges, stats.mentions


async def test_only_what_nothing_else_supports_is_counted(database: Database) -> None:
    await upsert_documents(database, [document("a.txt", RADIUM, BORN), document("b.txt", RADIUM)])
    before = await size(database)

    retracted = await delete_document(database, "a.txt")

    assert retracted == Retracted("a.txt", nodes=1, edges=1, mentions=5)
    after = await size(database)
    assert tuple(old - new for old, new in zip(before, after, strict=True)) == (1, 1, 5)
    assert await delete_document(database, "b.txt") == Retracted("b.txt", nodes=2, edges=1, mentions=3)
    assert await size(database) == (0, 0, 0)


async def test_statements_of_callers_are_counted_alike(database: Database) -> None:
    await upsert_documents(database, [document("a.txt", RADIUM)])
    before = await get_graph_hash(database)
    await upsert_graph(
        database, "caller", [NodeAssertion("Ada")], [EdgeAssertion("Marie Curie", "Radium", "discovered")]
    )

    assert await delete_document(database, "caller") == Retracted("caller", nodes=1, edges=0, mentions=4)
    assert await get_graph_hash(database) == before


async def test_a_merged_node_goes_with_the_last_of_its_group(database: Database) -> None:
    await upsert_documents(database, [document("a.txt", alone=("A",)), document("b.txt", alone=("B",))])
    await merge_nodes(database, "a", ["b"])

    assert (await delete_document(database, "a.txt")).nodes == 0
    assert (await delete_document(database, "b.txt")).nodes == 1


@pytest.mark.parametrize("document_id", ["unknown", "", "x" * 10_000])
async def test_an_unknown_document_is_told_and_nothing_changes(database: Database, document_id: str) -> None:
    await upsert_documents(database, [document("a.txt", RADIUM)])
    before = await get_graph_hash(database)

    with pytest.raises(NotFound, match="no document"):
        await delete_document(database, document_id)

    assert await get_graph_hash(database) == before


async def test_a_file_of_a_folder_comes_back_when_the_folder_is_indexed_again(
    database: Database, tmp_path: Path
) -> None:
    (tmp_path / "x.py").write_text("def f(): pass\n")
    (tmp_path / "y.py").write_text("def g(): pass\n")
    await index_folder(database, tmp_path, options=IndexOptions(workers=1))
    before = await get_graph_hash(database)
    await delete_document(database, "x.py")
    assert await get_graph_hash(database) != before

    report = await index_folder(database, tmp_path, options=IndexOptions(workers=1))

    assert report.files_indexed == 1
    assert await get_graph_hash(database) == before
