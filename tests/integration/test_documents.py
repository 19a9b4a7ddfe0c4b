"""Documents from files to facts: a real entity model, a language model behind a real server, a real Neo4j."""

import asyncio
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from extraction.claims.base import ClaimOptions
from extraction.claims.reader import find_reader
from extraction.documents.extraction import DocumentModels, Extracted, ReadDocument, extract_documents
from extraction.documents.text import DocumentText
from extraction.entities.base import EntityExtractor, EntityOptions
from extraction.entities.engines import find_extractor
from extraction.given import FileInput
from extraction.pipeline import IndexOptions, index_folder
from extraction.report import IndexReport
from extraction.settling import IngestCancelled
from extraction.single import ingest_file
from graph.database import Database
from graph.fingerprint import get_graph_hash
from graph.lookup import get_node
from graph.model import Document, DocumentId, Modality
from graph.segments import search_segments
from tests.model_server import ChatReply, ChatRequest, ModelServer, claims_reply
from tests.raw import Cypher

TINY = Path(__file__).parent.parent / "fixtures" / "models" / "tiny-gliner-onnx"
LABELS = ("Person", "Organization", "Location", "Date", "Product")
CURIE = """# Notes on a life

Marie Curie was born in Warsaw. She worked at the University of Paris with Pierre Curie.

## Radium

Marie Curie moved from Warsaw to Paris. Pierre Curie worked at the University of Paris.
"""
OTHER = "Albert Einstein was born in Ulm. He met Marie Curie in Paris.\n"


@pytest.fixture(scope="module")
def entities() -> EntityExtractor:
    found = find_extractor(EntityOptions(engine="onnx", model=str(TINY), labels=LABELS, threshold=0.5))
    assert found is not None
    return found


@pytest.fixture
def models(entities: EntityExtractor) -> DocumentModels:
    return DocumentModels(entities=entities)


async def index(
    database: Database, root: Path, models: DocumentModels, content_type: str = "docs", **options: object
) -> IndexReport:
    return await index_folder(
        database, root, options=IndexOptions(content_type=content_type, workers=1, **options), models=models
    )


def write(root: Path, files: dict[str, str | bytes]) -> Path:
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return root


async def statuses(cypher: Cypher) -> dict[str, tuple[str, str | None]]:
    rows = await cypher("MATCH (d:Document) RETURN d.path AS path, d.status AS status, d.reason AS reason")
    return {row["path"]: (row["status"], row["reason"]) for row in rows}


async def test_a_folder_of_documents_becomes_things_with_evidence(
    database: Database, cypher: Cypher, tmp_path: Path, models: DocumentModels
) -> None:
    root = write(tmp_path / "docs", {"curie.md": CURIE, "einstein.txt": OTHER, "tool.py": "def run(): ...\n"})

    report = await index(database, root, models)

    assert (report.files_indexed, report.failed) == (2, ())
    assert [part.part for part in report.degraded] == ["claims"]
    assert (await get_node(database, "Pierre Curie")).kind == "person"
    rows = await cypher(
        "MATCH (d:Document)-[:HAS_SEGMENT]->(s)-[:HAS_MENTION]->(m:Mention)-[:OF]->(n {node_id: 'paris'}) "
        "RETURN d.path AS path, s.heading AS heading, s.text AS text, m.char_start AS a, m.char_end AS b, "
        "m.evidence_span AS span"
    )
    assert {row["path"] for row in rows} == {"curie.md", "einstein.txt"}
    assert all(row["text"][row["a"] : row["b"]] == row["span"] for row in rows)
    assert {row["heading"] for row in rows} <= {"Notes on a life", "Radium", None}
    assert "Notes on a life" in {row["heading"] for row in rows}
    assert report.nodes == (await cypher("MATCH (n:Node) RETURN count(n) AS n"))[0]["n"]


async def test_what_is_unchanged_is_not_read_again_and_other_models_are(
    database: Database, cypher: Cypher, tmp_path: Path, models: DocumentModels
) -> None:
    root = write(tmp_path / "docs", {"curie.md": CURIE, "einstein.txt": OTHER})
    await index(database, root, models)
    before = await cypher("MATCH (d:Document) RETURN d.path AS path, d.ingested_at AS at ORDER BY path")

    again = await index(database, root, models)
    (root / "einstein.txt").write_text(OTHER + "\n")
    edited = await index(database, root, models)
    without = await index(database, root, DocumentModels())

    after = await cypher("MATCH (d:Document) RETURN d.path AS path, d.ingested_at AS at ORDER BY path")
    assert (again.files_indexed, again.files_unchanged) == (0, 2)
    assert (edited.files_indexed, edited.files_unchanged) == (1, 1)
    assert (without.files_indexed, without.nodes) == (2, 0)
    assert before != after
    assert await cypher("MATCH (n:Node) RETURN count(n) AS n") == [{"n": 0}]


async def test_edits_renames_and_deletions_equal_a_fresh_build(
    database: Database, cypher: Cypher, tmp_path: Path, models: DocumentModels
) -> None:
    root = tmp_path / "docs"
    code = "class Paris:\n    pass\n"
    steps: list[dict[str, str | bytes]] = [
        {"curie.md": CURIE, "einstein.txt": OTHER, "paris.py": code},
        {"curie.md": CURIE.replace("Warsaw", "WARSAW"), "einstein.txt": OTHER, "paris.py": code},
        {"renamed.md": CURIE, "einstein.txt": OTHER},
        {"einstein.txt": OTHER, "paris.py": code},
        {"paris.py": code},
        {},
    ]
    hashes: list[str] = []
    for files in steps:
        for old in root.glob("*"):
            old.unlink()
        root.mkdir(exist_ok=True)
        write(root, files)
        await index(database, root, models, "auto")
        hashes.append(await get_graph_hash(database))
    for files, incremental in zip(steps, hashes, strict=True):
        for old in root.glob("*"):
            old.unlink()
        write(root, files)
        await cypher.clear()
        await index(database, root, models, "auto")
        assert await get_graph_hash(database) == incremental


async def test_a_run_for_one_type_leaves_the_other_alone(
    database: Database, cypher: Cypher, tmp_path: Path, models: DocumentModels
) -> None:
    root = write(tmp_path / "docs", {"curie.md": CURIE, "tool.py": "def run(): ...\n"})
    await index(database, root, models, "code")
    await index(database, root, models, "docs")
    assert set(await statuses(cypher)) == {"curie.md", "tool.py"}

    (root / "curie.md").unlink()
    await index(database, root, models, "code")
    assert set(await statuses(cypher)) == {"curie.md", "tool.py"}
    await index(database, root, models, "docs")
    assert set(await statuses(cypher)) == {"tool.py"}


async def test_every_file_ends_as_done_skipped_or_failed(
    database: Database, cypher: Cypher, tmp_path: Path, models: DocumentModels
) -> None:
    names = {
        "empty.md": b"",
        "blanks.md": b" " * 1_000_000,
        "bom.md": b"\xef\xbb\xbf" + CURIE.encode(),
        "utf16.txt": CURIE.encode("utf-16"),
        "latin.txt": "Der Physiker kam aus Z\xfcrich.".encode("latin-1"),
        "nul.md": b"a\x00b" * 100,
        "broken.pdf": b"%PDF-1.7\nnothing of it",
        "line.txt": b"word " * 1_000_000,
        "na\xefve name \U0001f600.md": CURIE.encode(),
        "crlf.md": CURIE.replace("\n", "\r\n").encode(),
        "lf.md": CURIE.encode(),
    }
    root = write(tmp_path / "docs", names)

    told: dict[str, str] = {}
    report = await index_folder(
        database,
        root,
        options=IndexOptions(content_type="docs", workers=1),
        models=DocumentModels(),
        on_file=lambda path, status, _: told.__setitem__(path, status.value),
    )

    ends = await statuses(cypher)
    assert set(ends) == set(names) == set(told)
    assert {path: status for path, (status, _) in ends.items()} == told
    assert all(reason for status, reason in ends.values() if status != "DONE")
    done = {path for path, (status, _) in ends.items() if status == "DONE"}
    assert {"bom.md", "utf16.txt", "latin.txt", "line.txt", "crlf.md", "lf.md"} <= done
    assert {ends[path][0] for path in ("empty.md", "nul.md", "broken.pdf")} <= {"SKIPPED", "FAILED"}
    assert len(report.skipped) + len(report.failed) + report.files_indexed == len(names)


async def test_twins_give_equal_things_and_lines(
    database: Database, cypher: Cypher, tmp_path: Path, models: DocumentModels
) -> None:
    root = write(tmp_path / "docs", {"crlf.md": CURIE.replace("\n", "\r\n"), "lf.md": CURIE})
    await index(database, root, models)

    rows = await cypher(
        "MATCH (d:Document)-[:HAS_SEGMENT]->(s)-[:HAS_MENTION]->(m) RETURN d.path AS path, "
        "collect([m.node_id, m.line_start, m.line_end, m.char_start]) AS found"
    )
    found = {row["path"]: sorted(row["found"]) for row in rows}
    assert found["crlf.md"] == found["lf.md"] != []


async def test_a_model_that_cannot_be_had_fails_documents_and_keeps_their_text(
    database: Database, cypher: Cypher, tmp_path: Path, models: DocumentModels
) -> None:
    root = write(tmp_path / "docs", {"curie.md": CURIE})

    report = await index(database, root, DocumentModels(failure="the model is not at hand"))

    assert [(one.path, one.reason) for one in report.failed] == [("curie.md", "the model is not at hand")]
    assert (await search_segments(database, "Warsaw")).hits
    assert await cypher("MATCH (n:Node) RETURN count(n) AS n") == [{"n": 0}]
    later = await index(database, root, models)
    assert (later.files_indexed, later.failed) == (1, ())
    assert (await get_node(database, "Warsaw")).kind == "location"


async def test_a_single_document_is_ingested_with_what_was_found(
    database: Database, models: DocumentModels, tmp_path: Path
) -> None:
    given = FileInput("curie.md", CURIE.encode())
    report = await ingest_file(database, given, cache_dir=tmp_path, models=models)
    again = await ingest_file(database, given, cache_dir=tmp_path, models=models)

    assert report.nodes >= 4
    assert report.mentions > report.nodes
    assert not report.unchanged
    assert again.unchanged
    assert (again.nodes, again.edges, again.mentions, again.segments) == (
        report.nodes,
        report.edges,
        report.mentions,
        report.segments,
    )


async def test_a_document_that_was_code_and_is_text_now(
    database: Database, cypher: Cypher, models: DocumentModels, tmp_path: Path
) -> None:
    await ingest_file(database, FileInput("a.py", b"def f(): ...\n"), cache_dir=tmp_path)
    caller = FileInput("b.py", b"from a import f\n\ndef g():\n    f()\n")
    await ingest_file(database, caller, cache_dir=tmp_path)
    called = "MATCH ()-[:CALLS]->(t) RETURN t.node_id AS called"
    assert await cypher(called) == [{"called": "a.py::f"}]

    given = FileInput("a.py", CURIE.encode(), content_type="docs")
    await ingest_file(database, given, cache_dir=tmp_path, models=models)

    assert await cypher(called) == [{"called": "pkg:a"}]
    assert (await get_node(database, "Warsaw")).kind == "location"


# -- claims

BORN = {"subject": "Marie Curie", "predicate": "born_in", "object": "Warsaw", "confidence": 0.9}
STATED = {
    "Marie Curie was born in Warsaw": [BORN | {"evidence": "Marie Curie was born in Warsaw."}],
    "Albert Einstein": [
        {
            "subject": "Albert Einstein",
            "predicate": "born_in",
            "object": "Ulm",
            "evidence": "Albert Einstein was born in Ulm.",
            "confidence": "high",
        },
        {"subject": "Ulm", "predicate": "owns", "object": "everything", "evidence": "He met Marie Curie"},
    ],
}


def answer(request: ChatRequest) -> str:
    text = request.field("text")
    return claims_reply([claim for start, claims in STATED.items() if start in text for claim in claims])


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer(answer) as entered:
        yield entered


@pytest.fixture
def claiming(models: DocumentModels, server: ModelServer, tmp_path: Path) -> DocumentModels:
    reader = find_reader(ClaimOptions(model="openai/tiny", url=server.url, key="sk-test", cache_dir=tmp_path / "cache"))
    return replace(models, claims=reader)


async def test_claims_become_edges_whose_evidence_stands_in_the_text(
    database: Database, cypher: Cypher, tmp_path: Path, claiming: DocumentModels
) -> None:
    root = write(tmp_path / "docs", {"curie.md": CURIE, "einstein.txt": OTHER})

    report = await index(database, root, claiming)

    rows = await cypher(
        "MATCH (a:Node)-[r:BORN_IN]->(b:Node) MATCH (m:Mention {edge_id: r.edge_id})<-[:HAS_MENTION]-(s:Segment) "
        "RETURN a.name AS a, b.name AS b, r.provenance AS p, m.evidence_span AS span, "
        "substring(s.text, m.char_start, m.char_end - m.char_start) AS found ORDER BY a"
    )
    assert [(row["a"], row["b"], row["p"]) for row in rows] == [
        ("Albert Einstein", "Ulm", "EXTRACTED"),
        ("Marie Curie", "Warsaw", "EXTRACTED"),
    ]
    assert all(row["span"] == row["found"] for row in rows)
    assert report.degraded == ()
    assert sum(drop.count for drop in report.dropped if drop.what == "owns") == 1
    assert report.edges == 2


async def test_the_same_documents_again_ask_nothing_and_a_new_store_asks_the_cache(
    database: Database, cypher: Cypher, tmp_path: Path, claiming: DocumentModels, server: ModelServer
) -> None:
    root = write(tmp_path / "docs", {"curie.md": CURIE, "einstein.txt": OTHER})
    await index(database, root, claiming)
    asked, before = len(server.requests), await get_graph_hash(database)

    await index(database, root, claiming)
    await cypher.clear()
    await index(database, root, claiming)

    assert len(server.requests) == asked > 0
    assert await get_graph_hash(database) == before


async def test_a_language_model_out_of_reach_keeps_the_entities_and_is_tried_again(
    database: Database, cypher: Cypher, tmp_path: Path, models: DocumentModels
) -> None:
    root = write(tmp_path / "docs", {"curie.md": CURIE})
    down = True

    def moody(request: ChatRequest) -> ChatReply | str:
        return ChatReply(status=401, code="invalid_api_key") if down else answer(request)

    with ModelServer(moody) as server:
        reader = find_reader(ClaimOptions(model="openai/tiny", url=server.url, key="sk-secret"))
        failed = await index(database, root, replace(models, claims=reader))
        down = False
        later = await index(database, root, replace(models, claims=reader))

    [outcome] = failed.failed
    assert outcome.reason.startswith("claims: ")
    assert "sk-secret" not in outcome.reason
    assert failed.nodes >= 4
    assert (later.failed, later.edges) == ((), 1)


async def test_ingestion_is_cancelled_while_the_language_model_thinks(
    database: Database, cypher: Cypher, tmp_path: Path, models: DocumentModels
) -> None:
    with ModelServer(lambda _: ChatReply(claims_reply([]), delay_s=30)) as server:
        reader = find_reader(ClaimOptions(model="openai/tiny", url=server.url, key="k"))
        cancel = threading.Event()
        work = asyncio.ensure_future(
            ingest_file(
                database,
                FileInput("curie.md", CURIE.encode()),
                cache_dir=tmp_path,
                models=replace(models, claims=reader),
                cancel=cancel,
            )
        )
        assert await asyncio.to_thread(server.wait_until, lambda one: bool(one.requests))
        cancel.set()
        with pytest.raises(IngestCancelled):
            await asyncio.wait_for(work, timeout=10)

    assert await statuses(cypher) == {}


async def test_all_at_once_gives_what_one_by_one_gives(models: DocumentModels, monkeypatch: pytest.MonkeyPatch) -> None:
    """Segments, calls and documents side by side, in any number: the facts are those of a reading in order."""
    texts = {"long.md": "\n\n".join(f"## Part {number}\n\n{OTHER}{CURIE}" for number in range(30)), "short.md": OTHER}
    documents = [
        ReadDocument(Document(DocumentId(name), name, "0", Modality.TEXT), DocumentText(text))
        for name, text in texts.items()
    ]

    def slowly(request: ChatRequest) -> ChatReply:
        return ChatReply(answer(request), delay_s=0.05 * (request.number % 3))

    async def extract(given: list[ReadDocument], concurrency: int) -> list[Extracted]:
        with ModelServer(slowly) as server:
            options = ClaimOptions(model="openai/tiny", url=server.url, key="k", concurrency=concurrency)
            with_claims = replace(models, claims=find_reader(options))
            return await extract_documents(given, with_claims, cancel=threading.Event())

    together = await extract(documents, 8)
    monkeypatch.setattr("extraction.documents.extraction._TEXTS_AT_ONCE", 1)
    monkeypatch.setattr("extraction.documents.extraction._CALLS_AT_ONCE", 1)
    alone = [(await extract([document], 1))[0] for document in documents]

    assert [one.result for one in together] == [one.result for one in alone]
    assert [one.dropped for one in together] == [one.dropped for one in alone]
    assert len(together[0].result.segments) > 3
    assert together[0].result.edges
