# pyright: basic
"""How fast documents become a graph, stage by stage, each beside its bare library call on the same input in one run.

    python -m benchmarks.documents --entities FOLDER --embeddings FOLDER [--documents N] [--rounds N]

FOLDERs hold a GLiNER model as ONNX and a sentence model. The corpus is made up: Markdown, HTML, PDF and Word, of some
three pages of 2,000 characters each. Beside

* reading stands the format's own library in this process: pypdfium2, python-docx, lxml, a plain read;
* entities: the ONNX session alone, on tensors that are ready;
* embeddings: fastembed on the same texts;
* writing: the plain driver, the same rows in bare UNWIND batches into an empty database with the same schema.

The goal is that ours takes at most 15 % more. `--sweep` tries batch sizes of the sentence model; entities are read
text by text (ADR 12). `--memory` adds the peak of a process that indexes N and 4 N documents.
"""

import argparse
import asyncio
import os
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

from neo4j import GraphDatabase

from api.config import ENTITY_LABELS
from benchmarks.corpus import make_corpus
from benchmarks.index_code import FLOOR, Recorded, empty, floor_load, peak_memory, server
from extraction.documents.extraction import DocumentModels, Extracted, ReadDocument, extract_documents
from extraction.documents.reading import read_document
from extraction.documents.segments import cut_document
from extraction.documents.text import DocumentText
from extraction.embeddings.base import Embedder, EmbeddingOptions
from extraction.embeddings.engines import find_embedder
from extraction.entities import onnx
from extraction.entities.base import EntityExtractor, EntityOptions
from extraction.entities.engines import find_extractor
from extraction.pipeline import IndexOptions, index_folder
from graph.backends.base import Endpoint
from graph.database import Transaction, connect
from graph.folders import FILES_FOLDER
from graph.migrate import apply_migrations
from graph.model import Document, DocumentId, Modality
from graph.store import upsert_documents
from graph.vectors.writing import embed_missing

PAGE_CHARS: Final = 2_000
Pair = tuple[float, float]


def timed(work: Callable[[], Any]) -> tuple[float, Any]:
    """Seconds of a call, and what it gave."""
    began = time.perf_counter()
    given = work()
    return time.perf_counter() - began, given


def bare_read(path: Path) -> int:
    """The characters of a document by its library alone."""
    match path.suffix:
        case ".pdf":
            import pypdfium2

            pdf = pypdfium2.PdfDocument(path.read_bytes())
            return sum(len(page.get_textpage().get_text_bounded()) for page in pdf)
        case ".docx":
            from docx import Document as Word

            return sum(len(paragraph.text) for paragraph in Word(str(path)).paragraphs)
        case ".html":
            from lxml import html

            return len(html.fromstring(path.read_bytes()).text_content())
        case _:
            return len(path.read_text(encoding="utf-8"))


def measure_reading(paths: Sequence[Path]) -> tuple[Pair, list[DocumentText]]:
    """Ours beside the bare libraries; the worker process is up already, as in a run of many documents."""
    bare, _ = timed(lambda: [bare_read(path) for path in paths])
    ours, texts = timed(lambda: [read_document(path.name, path.read_bytes()) for path in paths])
    return (ours, bare), texts


def measure_entities(extractor: EntityExtractor, texts: Sequence[str]) -> Pair:
    """Ours beside the session alone, fed with the tensors that ours feeds it with."""
    fed: list[dict[str, Any]] = []
    run = onnx.OnnxModel._run

    def noting(self: onnx.OnnxModel, inputs: dict[str, Any]) -> Any:
        fed.append(inputs)
        return run(self, inputs)

    onnx.OnnxModel._run = noting
    try:
        extractor.extract(texts)
    finally:
        onnx.OnnxModel._run = run
    session = extractor.model._session.get()  # pyright: ignore[reportAttributeAccessIssue]
    bare, _ = timed(lambda: [session.run(["logits"], inputs) for inputs in fed])
    ours, _ = timed(lambda: extractor.extract(texts))
    return ours, bare


def measure_embeddings(embedder: Embedder, folder: str, texts: Sequence[str]) -> Pair:
    """Ours beside fastembed on the same texts."""
    from fastembed import TextEmbedding

    plain = TextEmbedding("sentence-transformers/all-MiniLM-L6-v2", specific_model_path=folder)
    list(plain.embed(list(texts[:4])))
    bare, _ = timed(lambda: list(plain.embed(list(texts))))
    ours, _ = timed(lambda: embedder.embed(texts))
    return ours, bare


async def measure_writing(endpoint: Endpoint, extracted: Sequence[Extracted]) -> Pair:
    """Ours beside a bare load of the same rows."""
    documents = [one.stored(FILES_FOLDER) for one in extracted]
    driver = GraphDatabase.driver(
        endpoint.uri, auth=(endpoint.user, endpoint.password), notifications_min_severity="OFF"
    )
    recorded: Recorded = []
    run = Transaction.run

    async def noting(self: Transaction, statement: Any, **params: Any) -> list[Any]:
        if statement.name in FLOOR:
            recorded.append((statement.name, list(params["rows"])))
        return await run(self, statement, **params)

    async with connect(endpoint) as database:
        empty(driver)
        Transaction.run = noting
        try:
            await upsert_documents(database, documents)
        finally:
            Transaction.run = run
        empty(driver)
        bare = floor_load(driver, recorded)
        empty(driver)
        began = time.perf_counter()
        for start in range(0, len(documents), 16):
            await upsert_documents(database, documents[start : start + 16])
        ours = time.perf_counter() - began
        empty(driver)
    driver.close()
    return ours, bare


def measure_memory(endpoint: Endpoint, root: Path, models: argparse.Namespace) -> float:
    """The peak of an index run and its workers in megabytes, without the server."""
    command = [sys.executable, "-m", "benchmarks.documents", "--only-index", str(root)]
    command += ["--entities", models.entities, "--embeddings", models.embeddings]
    target = (endpoint.uri, endpoint.user, endpoint.password, endpoint.database)
    return peak_memory(command, BENCHMARK_TARGET="\n".join(target)) / 1e6


async def only_index(root: Path, extractor: EntityExtractor, embedder: Embedder) -> None:
    """What the process runs whose memory is measured."""
    uri, user, password, name = os.environ["BENCHMARK_TARGET"].split("\n")
    async with connect(Endpoint(uri, user, password, name)) as database:
        models = DocumentModels(entities=extractor)
        await index_folder(database, root, options=IndexOptions(content_type="docs"), models=models)
        await embed_missing(database, embedder.embed, model=embedder.model, dimension=embedder.dimension)


async def measure(arguments: argparse.Namespace, extractor: EntityExtractor, embedder: Embedder) -> None:
    """All rounds, and the table."""
    stages: dict[str, list[Pair]] = {"reading": [], "entities": [], "embeddings": [], "writing": []}
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "n"
        root.mkdir()
        paths = make_corpus(root, arguments.documents)
        read_document(paths[2].name, paths[2].read_bytes())
        async with server() as endpoint:
            async with connect(endpoint) as database:
                await apply_migrations(database)
            pages = 0.0
            for _ in range(arguments.rounds):
                pair, texts = measure_reading(paths)
                stages["reading"].append(pair)
                pages = sum(len(text.text) for text in texts) / PAGE_CHARS
                read = [
                    ReadDocument(Document(DocumentId(path.name), path.name, path.name, Modality.TEXT), text)
                    for path, text in zip(paths, texts, strict=True)
                ]
                segments = [
                    segment.text
                    for one in read
                    for segment in cut_document(one.document.document_id, one.text, modality=Modality.TEXT)
                ]
                stages["entities"].append(measure_entities(extractor, segments))
                stages["embeddings"].append(measure_embeddings(embedder, arguments.embeddings, segments))
                extracted = await extract_documents(read, DocumentModels(entities=extractor), cancel=threading.Event())
                stages["writing"].append(await measure_writing(endpoint, extracted))
            print(f"{len(paths)} documents, {pages:.0f} pages of {PAGE_CHARS:,} characters, {len(segments)} segments")
            print_stages(stages, pages)
            if arguments.memory:
                few = measure_memory(endpoint, root, arguments)
                more = Path(folder) / "4n"
                more.mkdir()
                make_corpus(more, 4 * arguments.documents)
                many = measure_memory(endpoint, more, arguments)
                print(f"peak memory: {few:.0f} MB, with 4 times as many documents {many:.0f} MB")


def print_stages(stages: dict[str, list[Pair]], pages: float) -> None:
    """The medians over the rounds."""
    print(f"{'stage':12} {'pages/s':>9} {'bare':>9} {'ours/bare':>10}")
    totals = [0.0, 0.0]
    for name, pairs in stages.items():
        ours, bare = (statistics.median(pair[side] for pair in pairs) for side in (0, 1))
        ratio = statistics.median(pair[0] / pair[1] for pair in pairs)
        totals[0] += ours
        totals[1] += bare
        print(f"{name:12} {pages / ours:9.1f} {pages / bare:9.1f} {ratio:10.2f}")
    print(f"{'all':12} {pages / totals[0]:9.1f} {pages / totals[1]:9.1f} {totals[0] / totals[1]:10.2f}")


def sweep(folder: str, texts: Sequence[str]) -> None:
    """Texts a second of the sentence model, by how many are in a batch."""
    from fastembed import TextEmbedding

    plain = TextEmbedding("sentence-transformers/all-MiniLM-L6-v2", specific_model_path=folder)
    for batch in (1, 2, 4, 8, 16, 32, 64):
        seconds, _ = timed(lambda batch=batch: list(plain.embed(list(texts), batch_size=batch)))
        print(f"batch {batch:3}: {len(texts) / seconds:.1f} texts a second")


def main() -> None:
    """Read the arguments and run."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--entities", required=True, help="folder of a GLiNER model as ONNX")
    parser.add_argument("--embeddings", required=True, help="folder of a sentence model")
    parser.add_argument("--documents", type=int, default=40)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--memory", action="store_true", help="measure the peak of memory, too")
    parser.add_argument("--sweep", action="store_true", help="try batch sizes and end")
    parser.add_argument("--only-index", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    extractor = find_extractor(EntityOptions(engine="onnx", model=arguments.entities, labels=ENTITY_LABELS))
    embedder = find_embedder(EmbeddingOptions(engine="fastembed", model=arguments.embeddings))
    if extractor is None or embedder is None:
        parser.error("a model could not be loaded")
    if arguments.sweep:
        with tempfile.TemporaryDirectory() as folder:
            paths = make_corpus(Path(folder), 8)
            sweep(
                arguments.embeddings, [read_document(path.name, path.read_bytes()).text[:PAGE_CHARS] for path in paths]
            )
    elif arguments.only_index:
        asyncio.run(only_index(Path(arguments.only_index), extractor, embedder))
    else:
        asyncio.run(measure(arguments, extractor, embedder))


if __name__ == "__main__":
    main()
