"""Things that several texts name: what they are like together, and how they tie texts to code."""

import asyncio
import re
from itertools import permutations
from pathlib import Path

import pytest

from extraction.documents.facts import DocumentFacts
from extraction.documents.naming import Naming
from extraction.documents.segments import cut_text
from extraction.entities.base import EntitySpan
from extraction.given import FileInput
from extraction.single import ingest_file
from graph.assertions import NodeAssertion, upsert_graph
from graph.database import Database
from graph.fingerprint import get_graph_hash
from graph.folders import FILES_FOLDER
from graph.lookup import get_node
from graph.merges import merge_nodes, undo_merge
from graph.model import Document, DocumentId, Modality
from graph.retraction import delete_document
from graph.rows import StoredDocument
from graph.store import delete_documents, upsert_documents
from tests.raw import Cypher


def text_document(name: str, text: str, **kinds: str) -> StoredDocument:
    """A text in which each of the names is found; `_` stands for a blank."""
    document = Document(DocumentId(name), name, str(hash(text)), Modality.TEXT)
    segments = cut_text(document.document_id, text, modality=Modality.TEXT)
    facts = DocumentFacts(document, segments, Naming())
    facts.add_entities(
        [
            [
                EntitySpan(match.start(), match.end(), match.group(), kind, 0.9)
                for name, kind in kinds.items()
                for match in re.finditer(re.escape(name.replace("_", " ")), segment.text)
            ]
            for segment in segments
        ]
    )
    return StoredDocument(facts.result(), "test", FILES_FOLDER)


A = text_document("a.md", "Radium, radium and radium.", Radium="product", radium="substance")
B = text_document("b.md", "RADIUM glows. RADIUM heals.", RADIUM="product")
C = text_document("c.md", "Radium and Polonium.", Radium="concept", Polonium="substance")


@pytest.mark.parametrize("order", list(permutations([A, B, C])))
async def test_texts_decide_together_whatever_their_order(
    database: Database, cypher: Cypher, order: tuple[StoredDocument, ...]
) -> None:
    for one in order:
        await upsert_documents(database, [one])

    node = await get_node(database, "radium")

    # A has most to say of it, and calls it radium, a substance, more often than not.
    assert (node.name, node.kind, node.aliases) == ("radium", "substance", ("RADIUM", "Radium"))
    rows = await cypher("MATCH (n:Node {node_id: 'radium'}) RETURN labels(n) AS labels, n.kind AS kind")
    assert sorted(rows[0]["labels"]) == ["Node", "Substance"]


async def test_what_is_left_is_what_a_fresh_build_gives(database: Database, cypher: Cypher) -> None:
    hashes: dict[str, str] = {}
    for kept in ((A,), (A, C), (C,)):
        await cypher.clear()
        await upsert_documents(database, kept)
        hashes["".join(one.result.document.path for one in kept)] = await get_graph_hash(database)
    await cypher.clear()
    await upsert_documents(database, [A, B, C])

    await delete_document(database, "b.md")
    assert await get_graph_hash(database) == hashes["a.mdc.md"]
    await delete_document(database, "a.md")
    assert await get_graph_hash(database) == hashes["c.md"]
    await upsert_documents(database, [A])
    await delete_document(database, "c.md")
    assert await get_graph_hash(database) == hashes["a.md"]
    await delete_document(database, "a.md")
    assert await cypher("MATCH (n:Node) RETURN count(n) AS n") == [{"n": 0}]


async def test_a_caller_decides_before_texts_and_only_while_he_states(database: Database) -> None:
    await upsert_documents(database, [A])
    before = await get_graph_hash(database)

    await upsert_graph(database, "me", [NodeAssertion("radium", "substance", "An element.", ("Ra",))], [])
    node = await get_node(database, "radium")
    assert (node.name, node.kind, node.description) == ("radium", "substance", "An element.")
    assert node.aliases == ("Ra", "Radium")

    await delete_document(database, "me")
    assert await get_graph_hash(database) == before


async def test_merged_things_keep_what_each_text_says_and_come_apart_again(database: Database) -> None:
    await upsert_documents(database, [A, C])
    before = await get_graph_hash(database)
    merge = await merge_nodes(database, "radium", ["polonium"])
    merged = await get_graph_hash(database)
    node = await get_node(database, "radium")
    assert "Polonium" in node.aliases

    await upsert_documents(database, [B])
    await delete_documents(database, [DocumentId("b.md")])
    assert await get_graph_hash(database) == merged
    await undo_merge(database, merge.merge_id)
    assert await get_graph_hash(database) == before


# -- links to code

CODE = {
    "search.py": "class SearchAgent:\n    pass\n",
    "other.py": "class SearchAgent:\n    pass\n\ndef radium(): ...\n",
}
README = text_document("README.md", "The SearchAgent finds Radium.", SearchAgent="technology", Radium="technology")


async def ingest(database: Database, name: str, tmp_path: Path) -> None:
    await ingest_file(database, FileInput(name, CODE[name].encode()), cache_dir=tmp_path)


async def links(cypher: Cypher) -> dict[str, tuple[str, float]]:
    rows = await cypher(
        "MATCH (s:Node)-[r:REFERENCES {derived: 'name'}]->(t:Node) "
        "RETURN s.node_id AS s, t.node_id AS t, r.confidence AS c, r.provenance AS p"
    )
    assert {row["p"] for row in rows} <= {"INFERRED"}
    return {row["s"]: (row["t"], row["c"]) for row in rows}


async def test_a_name_in_a_text_is_linked_to_the_one_symbol_of_that_name(
    database: Database, cypher: Cypher, tmp_path: Path
) -> None:
    await upsert_documents(database, [README])
    assert await links(cypher) == {}
    await ingest(database, "search.py", tmp_path)
    assert await links(cypher) == {"searchagent": ("search.py::SearchAgent", 0.95)}

    # Another of that name: which of them is meant can't be told.
    await ingest(database, "other.py", tmp_path)
    assert await links(cypher) == {"radium": ("other.py::radium", 0.5)}

    await delete_document(database, "search.py")
    assert await links(cypher) == {
        "searchagent": ("other.py::SearchAgent", 0.95),
        "radium": ("other.py::radium", 0.5),
    }


async def test_links_do_not_depend_on_the_order_and_hold_nothing(
    database: Database, cypher: Cypher, tmp_path: Path
) -> None:
    hashes: set[str] = set()
    for order in permutations(["README.md", "search.py", "other.py"]):
        await cypher.clear()
        for name in order:
            if name == "README.md":
                await upsert_documents(database, [README])
            else:
                await ingest(database, name, tmp_path)
        hashes.add(await get_graph_hash(database))
    assert len(hashes) == 1

    await delete_document(database, "README.md")
    assert await cypher("MATCH (n:Technology) RETURN count(n) AS n") == [{"n": 0}]
    await upsert_documents(database, [README])
    assert await get_graph_hash(database) in hashes
    for name in ("search.py", "other.py"):
        await delete_document(database, name)
    assert await links(cypher) == {}
    assert await cypher("MATCH (n:Class) RETURN count(n) AS n") == [{"n": 0}]


async def test_links_follow_merges_and_their_undoing(database: Database, cypher: Cypher, tmp_path: Path) -> None:
    await upsert_documents(database, [README])
    await ingest(database, "search.py", tmp_path)
    before = await get_graph_hash(database)

    merge = await merge_nodes(
        database,
        "searchagent",
        ["radium"],
    )
    await undo_merge(database, merge.merge_id)

    assert await get_graph_hash(database) == before


async def test_many_writers_of_the_same_names_lose_nothing(database: Database, cypher: Cypher, tmp_path: Path) -> None:
    names = [f"Thing{number:02}" for number in range(50)]
    await ingest_file(
        database,
        FileInput("things.py", "".join(f"class {name}: ...\n" for name in names[:25]).encode()),
        cache_dir=tmp_path,
    )

    async def work(worker: int) -> None:
        for number in range(6):
            first = (worker * 6 + number) % 50
            own = [names[(first + step) % 50] for step in range(10)]
            document = text_document(f"{worker}-{number}.md", " and ".join(own), **dict.fromkeys(own, "product"))
            await upsert_documents(database, [document])

    await asyncio.gather(*(work(worker) for worker in range(8)))

    rows = await cypher("MATCH (n:Product)<-[:OF]-(m:Mention) RETURN count(DISTINCT n) AS things, count(m) AS mentions")
    assert rows == [{"things": 50, "mentions": 8 * 6 * 10}]
    assert len(await links(cypher)) == 25
