"""How well searches of segments rank: nDCG@10 of words, of vectors and of both, over 126 labelled queries.

    python -m benchmarks.retrieval --model FOLDER [--misses]

FOLDER holds a sentence model (see `cogniverse models fetch`). The passages and queries lie in `benchmarks/data`,
written for this project: manuals with error codes, rules of a firm, an API's handbook, science and history. Each query
names the passages that answer it, 3 for a full answer to 1 for one that helps. The searches are the product's own, on a
Neo4j of the run's own.
"""

import argparse
import asyncio
import math
import statistics
import tempfile
from collections import defaultdict
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from api.config import Settings
from extraction.documents.segments import cut_text
from extraction.embeddings.base import Embedder, EmbeddingOptions
from extraction.embeddings.engines import find_embedder
from graph.answers import SearchMode
from graph.backends.embedded import EmbeddedBackend, EmbeddedSettings
from graph.database import Database, connect
from graph.migrate import apply_migrations
from graph.model import Document, DocumentId, ExtractionResult, Modality
from graph.rows import StoredDocument
from graph.segments import search_segments
from graph.store import upsert_documents
from graph.tenants import parse_tenant
from graph.vectors import QueryVector, embed_missing

DATA: Final = Path(__file__).parent / "data"
TOP: Final = 10


@dataclass(frozen=True)
class Query:
    """A query, its kind, and the grade of each passage that answers it."""

    kind: str
    text: str
    grades: Mapping[str, int]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--model", required=True, help="folder of a sentence model")
    parser.add_argument("--misses", action="store_true", help="print where both together rank worse than one alone")
    arguments = parser.parse_args()
    embedder = find_embedder(EmbeddingOptions(engine="fastembed", model=arguments.model))
    if embedder is None:
        parser.error("there is no model")
    asyncio.run(_run(embedder, misses=arguments.misses))


def read_passages() -> dict[str, str]:
    """Passages by id."""
    lines = (DATA / "retrieval_passages.tsv").read_text("utf-8").splitlines()
    return dict(line.split("\t", 1) for line in lines)


def read_queries() -> list[Query]:
    """The queries; each names passages that there are."""
    known, queries = read_passages(), list[Query]()
    for line in (DATA / "retrieval_queries.tsv").read_text("utf-8").splitlines()[1:]:
        kind, text, relevant = line.split("\t")
        pairs = (pair.rpartition(":") for pair in relevant.split())
        queries.append(Query(kind, text, {name: int(grade) for name, _, grade in pairs if known[name]}))
    return queries


def ndcg(found: Sequence[str], grades: Mapping[str, int]) -> float:
    """Normalised discounted cumulative gain of the first ten.

    Source: Järvelin and Kekäläinen, Cumulated gain-based evaluation of IR techniques, 2002; gains are 2^grade - 1.
    """
    return _gain([grades.get(name, 0) for name in found]) / _gain(sorted(grades.values(), reverse=True))


def _gain(grades: Sequence[int]) -> float:
    return sum((2**grade - 1) / math.log2(place + 1) for place, grade in enumerate(grades[:TOP], start=1))


async def _run(embedder: Embedder, *, misses: bool) -> None:
    queries = read_queries()
    async with _open() as database:
        await _fill(database, embedder)
        scores = [await _score(database, embedder, query) for query in queries]
    _print_table(queries, scores)
    for query, score in zip(queries, scores, strict=True) if misses else ():
        if score[SearchMode.HYBRID] < max(score.values()) - 0.001:
            print(
                f"{query.kind:10} {query.text!r}: " + ", ".join(f"{mode} {value:.2f}" for mode, value in score.items())
            )


def _print_table(queries: Sequence[Query], scores: Sequence[Mapping[SearchMode, float]]) -> None:
    groups: dict[str, list[Mapping[SearchMode, float]]] = defaultdict(list)
    for query, score in zip(queries, scores, strict=True):
        groups[query.kind].append(score)
    print(f"{'nDCG@10':12} {'queries':>7}" + "".join(f"{mode:>9}" for mode in SearchMode))
    for kind, group in (*groups.items(), ("all", scores)):
        means = (statistics.fmean(score[mode] for score in group) for mode in SearchMode)
        print(f"{kind:12} {len(group):7}" + "".join(f"{mean:9.3f}" for mean in means))


async def _score(database: Database, embedder: Embedder, query: Query) -> dict[SearchMode, float]:
    vector = QueryVector(embedder.model, tuple(embedder.embed([query.text])[0]))
    scores: dict[SearchMode, float] = {}
    for mode in SearchMode:
        result = await search_segments(database, query.text, top_k=TOP, mode=mode, vector=vector)
        scores[mode] = ndcg([hit.segment.document_id for hit in result.hits], query.grades)
    return scores


async def _fill(database: Database, embedder: Embedder) -> None:
    await upsert_documents(database, [_document(name, text) for name, text in read_passages().items()])
    await embed_missing(database, embedder.embed, model=embedder.model, dimension=embedder.dimension)


def _document(name: str, text: str) -> StoredDocument:
    document_id = DocumentId(name)
    segments = cut_text(document_id, text, modality=Modality.TEXT)
    result = ExtractionResult(Document(document_id, name, name, Modality.TEXT), segments)
    return StoredDocument(result, facts_hash=name, folder_id="passages")


@asynccontextmanager
async def _open() -> AsyncGenerator[Database]:
    tenant = parse_tenant("retrieval")
    with tempfile.TemporaryDirectory() as folder:
        settings = EmbeddedSettings(data_dir=Path(folder), cache_dir=Settings().cache_dir, train_aot=False)
        backend = EmbeddedBackend(settings)
        endpoint = await backend.open(tenant, create=True)
        try:
            async with connect(endpoint) as database:
                await apply_migrations(database)
                yield database
        finally:
            await backend.stop(tenant)


if __name__ == "__main__":
    main()
